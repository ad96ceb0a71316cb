# The services and the migration as ECS tasks: their containers, settings, secrets, roles and scaling. Their sizes and numbers are variables.

locals {
  # The ports of the services, for requests and for health checks. Without tasks.realtime the auth service does its work.
  services = merge({ for name, ports in {
    edge     = { port = 8080, ready_port = 9180 }
    auth     = { port = 3000, ready_port = 3000 }
    data     = { port = 3000, ready_port = 3001 }
    realtime = { port = 3000, ready_port = 3000 }
  } : name => ports if contains(keys(var.tasks), name) }, { for name in local.readers : name => { port = 3000, ready_port = 3001 } })
  has_realtime = contains(keys(var.tasks), "realtime")
  # The services whose processes are of Node.
  node_services = setsubtract(keys(local.services), concat(["data"], local.readers))
  # The names of the task definitions.
  tasks = concat(keys(local.services), ["migrate"])
  # The services behind the edge, with their DNS names.
  upstreams = { for name in keys(local.services) : name => "${name}.${aws_service_discovery_private_dns_namespace.main.name}" if name != "edge" }

  secret_arn = { for name, secret in aws_secretsmanager_secret.main : name => secret.arn }
  # With its version, so that an old task definition keeps the old value: a rollback must work after a new value has made the signing keys
  # unreadable. Passwords have no version, because the database accepts only the newest.
  better_auth_secret = var.better_auth_secret_arn != null ? var.better_auth_secret_arn : "${local.secret_arn["better_auth_secret"]}:::${aws_secretsmanager_secret_version.main["better_auth_secret"].version_id}"
  owner_secret       = aws_db_instance.main.master_user_secret[0].secret_arn

  # The settings that an operator may set, each with the services that read it. var.tracing replaces the collector's address, because it
  # also opens the network to the collector. var.files_in_s3 replaces FILES_URL, because it also makes the bucket.
  offered       = { for name, setting in jsondecode(file("${path.module}/../settings.json")) : name => setting if !contains(["OTEL_EXPORTER_OTLP_ENDPOINT", "FILES_URL"], name) }
  tracing       = var.tracing == null ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT = var.tracing.endpoint }
  given         = { for service in ["edge", "auth", "realtime", "migrate"] : service => { for name, value in var.settings : name => value if try(contains(local.offered[name].services, service), false) } }
  given_secrets = { for service in ["edge", "auth", "realtime", "migrate"] : service => { for name, arn in var.secret_arns : name => arn if try(contains(local.offered[name].services, service), false) } }

  # The secrets of each task, which no other task can read. ECS passes secrets only as variables, never as files.
  secrets_of = {
    auth = merge(local.given_secrets.auth, {
      PGPASSWORD                                                    = local.secret_arn["auth_service_password"]
      BETTER_AUTH_SECRET                                            = local.better_auth_secret
      (var.mail.provider == "smtp" ? "SMTP_URL" : "RESEND_API_KEY") = var.mail.secret_arn
    })
    realtime = merge(local.given_secrets.realtime, {
      PGPASSWORD         = local.secret_arn["auth_service_password"]
      BETTER_AUTH_SECRET = local.better_auth_secret
    })
    data = {
      PGPASSWORD = local.secret_arn["authenticator_password"]
    }
    edge = local.given_secrets.edge
    migrate = merge(local.given_secrets.migrate, {
      PGPASSWORD             = "${local.owner_secret}:password::"
      AUTH_SERVICE_PASSWORD  = local.secret_arn["auth_service_password"]
      AUTHENTICATOR_PASSWORD = local.secret_arn["authenticator_password"]
      # the migration refuses a database if this secret does not decrypt its signing keys
      BETTER_AUTH_SECRET = local.better_auth_secret
    })
  }

  # Variables of the Node services, and the commands that messages suggest to the operator.
  node_environment = merge(local.tracing, { NODE_ENV = "production", HOST = "0.0.0.0", PUBLIC_URL = local.public_url })
  commands         = { ADMIN_COMMAND = "infra/aws/admin", MIGRATE_COMMAND = "infra/aws/migrate" }

  environment = {
    edge = merge(local.given.edge, local.node_environment, local.files_url, local.reader_upstreams, local.has_realtime ? { REALTIME_UPSTREAM = "http://${local.upstreams["realtime"]}:${local.services["realtime"].port}" } : {}, {
      PORT                 = tostring(local.services.edge.port)
      EDGE_ADMIN_PORT      = tostring(local.services.edge.ready_port)
      AUTH_UPSTREAM        = "http://${local.upstreams.auth}:${local.services.auth.port}"
      POSTGREST_UPSTREAM   = "http://${local.upstreams.data}:${local.services.data.port}"
      POSTGREST_READY_PORT = tostring(local.services.data.ready_port)
      TRUSTED_PROXIES      = join(",", local.public_ranges)
      DATA_BODY_LIMIT      = tostring(var.data_body_limit)
      # a user's requests use a share of PostgREST's connections at once; each edge has its part of the pool
      PGRST_DB_POOL = tostring(var.data_pool)
      EDGE_REPLICAS = "${var.tasks["edge"].minimum}-${var.tasks["edge"].maximum}"
    })
    # The links of mails lead to the reference app, which the edge serves.
    auth = merge({ APP_DIR = "/app/app/dist" }, local.given.auth, local.node_environment, local.commands, local.files_url, local.has_realtime ? { AUTH_SERVES_REALTIME = "false" } : {}, {
      PORT              = tostring(local.services.auth.port)
      DATA_URL          = "${local.public_url}/data"
      AUTH_DATABASE_URL = "postgresql://auth_service@${local.database_at}"
      TRUSTED_PROXIES   = join(",", local.private_ranges)
      MAIL_FROM         = var.mail.from
    })
    # It reads sessions and tokens as the auth service does.
    realtime = merge({ APP_DIR = "/app/app/dist" }, local.given.realtime, local.node_environment, local.commands, {
      PORT              = "3000"
      AUTH_DATABASE_URL = "postgresql://auth_service@${local.database_at}"
      TRUSTED_PROXIES   = join(",", local.private_ranges)
    })
    data = merge(local.postgrest_settings, local.libpq_tls, {
      PGHOST     = aws_db_instance.main.address
      PGDATABASE = "finance"
      PGUSER     = "authenticator"
      # --ready sends its request to this address, so it must not be a pattern such as !4
      PGRST_SERVER_HOST              = "0.0.0.0"
      PGRST_SERVER_PORT              = tostring(local.services.data.port)
      PGRST_ADMIN_SERVER_PORT        = tostring(local.services.data.ready_port)
      PGRST_OPENAPI_SERVER_PROXY_URI = "${local.public_url}/data"
      PGRST_DB_POOL                  = tostring(var.data_pool)
      PGRST_JWT_CACHE_MAX_ENTRIES    = tostring(var.data_jwt_cache_entries)
      # one runtime thread, otherwise clients wait unevenly: docs/decisions/postgrest.md#postgrest-runs-on-one-thread-of-haskells-runtime-otherwise-with-default-options
      GHCRTS = "-N1"
    })
    migrate = merge(local.given.migrate, local.commands, local.files_url, local.has_realtime ? { REALTIME_REPLICAS = "${var.tasks["realtime"].minimum}-${var.tasks["realtime"].maximum}" } : {}, {
      PUBLIC_URL   = local.public_url
      DATABASE_URL = "postgresql://${aws_db_instance.main.username}@${local.database_at}"
      # the migration fails if the database has too few connections for the minimum number of tasks
      PGRST_DB_POOL      = tostring(var.data_pool)
      AUTH_REPLICAS      = "${var.tasks["auth"].minimum}-${var.tasks["auth"].maximum}"
      POSTGREST_REPLICAS = "${var.tasks["data"].minimum * (1 + var.readers)}-${local.postgrest_at_most}"
    })
  }

  # The containers of each task. A new version of a secret changes the task definition, so that ECS replaces the tasks.
  containers = merge({
    for name in local.node_services : name => [{
      name = name, environment = local.environment[name], secrets = local.secrets_of[name], port = local.services[name].port
      # half of the memory, as in compose: outside its heap Node needs buffers and, in auth, 32 MiB for each password that it hashes
      command = ["node", "--max-old-space-size=${floor(var.tasks[name].memory / 2)}", "${name}/main.ts"]
      healthy = ["CMD", "node", "-e", "require('http').get('http://127.0.0.1:${local.services[name].ready_port}/readyz', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
    }]
    }, { for name, environment in merge({ data = local.environment.data }, local.reader_environment) :
    # PostgREST's image has neither RDS's certificates nor a shell. A container of the auth image therefore first copies them into a volume.
    # It runs as root without capabilities, because root owns the volume.
    name => concat([for file in local.database_ca : {
      name    = "certificates", environment = {}, secrets = {}, user = "0", essential = false
      command = ["node", "-e", "require('node:fs').copyFileSync('${file}', '/shared/ca.pem')"]
      mounts  = [{ sourceVolume = "certificates", containerPath = "/shared", readOnly = false }]
      }], [{
      name    = "postgrest", image = var.postgrest_image, environment = environment, secrets = local.secrets_of.data, port = local.services[name].port
      command = ["/bin/postgrest"]
      healthy = ["CMD", "/bin/postgrest", "--ready"]
      mounts  = [for file in local.database_ca : { sourceVolume = "certificates", containerPath = "/certificates", readOnly = true }]
      after   = [for file in local.database_ca : { containerName = "certificates", condition = "SUCCESS" }]
    }])
    }, {
    migrate = [{ name = "migrate", command = ["node", "infra/docker/migrate.ts"], environment = local.environment.migrate, secrets = local.secrets_of.migrate }]
  })
}

locals {
  # The repositories of ECR that hold the images of each task. Images of other registries need no rights.
  image_repositories = { for name, containers in local.containers : name => distinct([
    for parts in flatten([for container in containers : try([regex("^(?P<account>[0-9]{12})\\.dkr\\.ecr\\.(?P<region>[a-z0-9-]+)\\.[^/]+/(?P<name>[^:@]+)", lookup(container, "image", var.auth_image))], [])]) :
    "arn:${data.aws_partition.main.partition}:ecr:${parts.region}:${parts.account}:repository/${parts.name}"
  ]) }
}

data "aws_partition" "main" {}

data "aws_iam_policy_document" "tasks_assume" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["ecs-tasks.amazonaws.com"]
    }
  }
}

# ECS uses this role to start a task. The containers have no role, so they have no access to AWS, but for the files of files.tf.
resource "aws_iam_role" "execution" {
  for_each           = local.containers
  name               = "${var.name}-${each.key}-execution"
  assume_role_policy = data.aws_iam_policy_document.tasks_assume.json
}

data "aws_iam_policy_document" "execution" {
  for_each = local.containers

  statement {
    sid     = "OwnSecrets"
    actions = ["secretsmanager:GetSecretValue"]
    # the ARN without the field and the version
    resources = distinct([for arn in flatten([for container in each.value : values(container.secrets)]) : join(":", slice(split(":", arn), 0, 7))])
  }
  dynamic "statement" {
    for_each = var.kms_key_arn[*]
    content {
      sid       = "OwnKey"
      actions   = ["kms:Decrypt"]
      resources = [statement.value]
    }
  }
  statement {
    sid       = "OwnLog"
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.main[each.key].arn}:*"]
  }
  # this action knows no resource; the token alone reads nothing
  dynamic "statement" {
    for_each = length(local.image_repositories[each.key]) > 0 ? [1] : []
    content {
      sid       = "Registry"
      actions   = ["ecr:GetAuthorizationToken"]
      resources = ["*"]
    }
  }
  dynamic "statement" {
    for_each = length(local.image_repositories[each.key]) > 0 ? [local.image_repositories[each.key]] : []
    content {
      sid       = "OwnImages"
      actions   = ["ecr:BatchCheckLayerAvailability", "ecr:GetDownloadUrlForLayer", "ecr:BatchGetImage"]
      resources = statement.value
    }
  }
}

resource "aws_iam_role_policy" "execution" {
  for_each = local.containers
  name     = "start"
  role     = aws_iam_role.execution[each.key].id
  policy   = data.aws_iam_policy_document.execution[each.key].json
}

resource "aws_ecs_task_definition" "main" {
  for_each                 = local.containers
  family                   = "${var.name}-${each.key}"
  requires_compatibilities = ["FARGATE"]
  network_mode             = "awsvpc"
  cpu                      = try(local.sizes[each.key].cpu, 256)
  memory                   = try(local.sizes[each.key].memory, 512)
  execution_role_arn       = aws_iam_role.execution[each.key].arn
  task_role_arn            = try(aws_iam_role.files[each.key].arn, null)

  runtime_platform {
    operating_system_family = "LINUX"
    cpu_architecture        = var.cpu_architecture
  }

  dynamic "volume" {
    for_each = [for file in local.database_ca : "certificates" if each.key == "data" || contains(local.readers, each.key)]
    content {
      name = volume.value
    }
  }

  container_definitions = jsonencode([
    for container in each.value : {
      name                   = container.name
      image                  = lookup(container, "image", var.auth_image)
      command                = container.command
      essential              = lookup(container, "essential", true)
      user                   = lookup(container, "user", "1000")
      readonlyRootFilesystem = true
      linuxParameters        = { initProcessEnabled = true, capabilities = { drop = ["ALL"] } }
      stopTimeout            = 30
      mountPoints            = lookup(container, "mounts", [])
      dependsOn              = lookup(container, "after", [])
      portMappings           = [for port in lookup(container, "port", null)[*] : { containerPort = port, protocol = "tcp" }]
      # generous, because a short outage of the database must not stop all tasks
      healthCheck = try({ command = container.healthy, interval = 10, timeout = 5, retries = 10, startPeriod = 60 }, null)
      environment = [for key, value in merge(container.environment, length(container.secrets) == 0 ? {} : { SECRET_VERSIONS = join(",", values(var.secret_versions)) }) :
      { name = key, value = value }]
      secrets = [for key, arn in container.secrets : { name = key, valueFrom = arn }]
      logConfiguration = {
        logDriver = "awslogs"
        options   = { awslogs-group = aws_cloudwatch_log_group.main[each.key].name, awslogs-region = var.region, awslogs-stream-prefix = container.name }
      }
    }
  ])

  # a task fails if it starts before its secrets have values
  depends_on = [aws_iam_role_policy.execution, aws_secretsmanager_secret_version.main]
}

resource "aws_ecs_service" "main" {
  for_each                           = local.services
  name                               = each.key
  cluster                            = aws_ecs_cluster.main.id
  task_definition                    = aws_ecs_task_definition.main[each.key].arn
  launch_type                        = "FARGATE"
  desired_count                      = local.sizes[each.key].minimum
  deployment_minimum_healthy_percent = 100
  deployment_maximum_percent         = 200
  health_check_grace_period_seconds  = each.key == "edge" ? 60 : null
  wait_for_steady_state              = true
  propagate_tags                     = "SERVICE"

  # rolls back a version that does not become healthy
  deployment_circuit_breaker {
    enable   = true
    rollback = true
  }
  network_configuration {
    subnets          = local.private_subnet_ids
    security_groups  = [aws_security_group.main[each.key].id]
    assign_public_ip = false
  }
  dynamic "load_balancer" {
    for_each = each.key == "edge" ? [aws_lb_target_group.edge.arn] : []
    content {
      target_group_arn = load_balancer.value
      container_name   = each.key
      container_port   = each.value.port
    }
  }
  dynamic "service_registries" {
    for_each = each.key == "edge" ? [] : [aws_service_discovery_service.main[each.key].arn]
    content {
      registry_arn = service_registries.value
    }
  }

  lifecycle {
    # autoscaling changes it
    ignore_changes = [desired_count]
  }
  # the migration runs first; if it fails, the services do not change
  depends_on = [aws_lb_listener_rule.edge, terraform_data.migration]
}

resource "aws_appautoscaling_target" "service" {
  for_each           = local.services
  service_namespace  = "ecs"
  resource_id        = "service/${aws_ecs_cluster.main.name}/${aws_ecs_service.main[each.key].name}"
  scalable_dimension = "ecs:service:DesiredCount"
  min_capacity       = local.sizes[each.key].minimum
  max_capacity       = local.sizes[each.key].maximum
}

resource "aws_appautoscaling_policy" "service" {
  for_each           = local.services
  name               = "${var.name}-${each.key}-cpu"
  policy_type        = "TargetTrackingScaling"
  service_namespace  = aws_appautoscaling_target.service[each.key].service_namespace
  resource_id        = aws_appautoscaling_target.service[each.key].resource_id
  scalable_dimension = aws_appautoscaling_target.service[each.key].scalable_dimension

  target_tracking_scaling_policy_configuration {
    target_value       = 60
    scale_out_cooldown = 60
    scale_in_cooldown  = 300

    predefined_metric_specification {
      predefined_metric_type = "ECSServiceAverageCPUUtilization"
    }
  }
}
