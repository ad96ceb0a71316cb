# Tests of the plan with a mock provider, which needs no account and creates nothing. Only the secrets are created by the real
# provider's code, against the fake Secrets Manager that ./check starts.

provider "aws" {
  alias                       = "secrets"
  region                      = "eu-central-1"
  access_key                  = "of-the-tests"
  secret_key                  = "of-the-tests"
  skip_credentials_validation = true
  skip_requesting_account_id  = true
  skip_metadata_api_check     = true
}

mock_provider "aws" {
  alias = "outside"
  mock_resource "aws_sns_topic" {
    defaults = { arn = "arn:aws:sns:us-east-1:123456789012:finance-alarms-outside" }
  }
}

mock_provider "aws" {
  alias = "copies"
}

mock_provider "aws" {
  mock_data "aws_availability_zones" {
    defaults = { names = ["eu-central-1a", "eu-central-1b", "eu-central-1c"] }
  }
  mock_data "aws_region" {
    defaults = { id = "eu-central-1" }
  }
  mock_data "aws_partition" {
    defaults = { partition = "aws" }
  }
  mock_data "aws_iam_policy_document" {
    defaults = { json = "{\"Version\":\"2012-10-17\",\"Statement\":[]}" }
  }
  mock_data "aws_subnet" {
    defaults = { cidr_block = "10.9.1.0/24" }
  }
  mock_resource "aws_lb" {
    defaults = { arn = "arn:aws:elasticloadbalancing:eu-central-1:123456789012:loadbalancer/app/finance/50dc6c495c0c9188" }
  }
  mock_resource "aws_lb_target_group" {
    defaults = { arn = "arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/finance/50dc6c495c0c9188" }
  }
  mock_resource "aws_service_discovery_private_dns_namespace" {
    defaults = { id = "ns-1" }
  }
  mock_resource "aws_service_discovery_service" {
    defaults = { arn = "arn:aws:servicediscovery:eu-central-1:123456789012:service/srv-1" }
  }
  mock_resource "aws_lb_listener" {
    defaults = { arn = "arn:aws:elasticloadbalancing:eu-central-1:123456789012:listener/app/finance/50dc6c495c0c9188/50dc6c495c0c9188" }
  }
  mock_resource "aws_iam_role" {
    defaults = { arn = "arn:aws:iam::123456789012:role/finance" }
  }
  mock_resource "aws_s3_bucket" {
    defaults = { id = "finance-logs-1", arn = "arn:aws:s3:::finance-logs-1" }
  }
  mock_resource "aws_sns_topic" {
    defaults = { arn = "arn:aws:sns:eu-central-1:123456789012:finance-alarms" }
  }
  mock_resource "aws_acm_certificate" {
    defaults = {
      arn                       = "arn:aws:acm:eu-central-1:123456789012:certificate/00000000-1234-1234-1234-123456789012"
      domain_validation_options = [{ domain_name = "money.example.org", resource_record_name = "_x.money.example.org", resource_record_type = "CNAME", resource_record_value = "_y.acm-validations.aws" }]
    }
  }
  mock_data "aws_caller_identity" {
    defaults = { account_id = "123456789012" }
  }
  mock_resource "aws_cloudwatch_log_group" {
    defaults = { arn = "arn:aws:logs:eu-central-1:123456789012:log-group:finance" }
  }
  mock_resource "aws_ecs_task_definition" {
    defaults = { arn = "arn:aws:ecs:eu-central-1:123456789012:task-definition/finance:1" }
  }
  mock_resource "aws_db_instance" {
    defaults = {
      arn                = "arn:aws:rds:eu-central-1:123456789012:db:finance"
      address            = "finance.cluster.eu-central-1.rds.amazonaws.com"
      master_user_secret = [{ secret_arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:rds!db-AbCdEf", kms_key_id = "", secret_status = "active" }]
    }
  }
}

variables {
  region           = "eu-central-1"
  host_name        = "money.example.org"
  certificate_arn  = "arn:aws:acm:eu-central-1:123456789012:certificate/12345678-1234-1234-1234-123456789012"
  auth_image       = "registry.example.org/finance-backend:0.2.0"
  mail             = { from = "Money <money@example.org>", provider = "resend", secret_arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:finance-mail-GhIjKl" }
  migrate_on_apply = false
}

run "everything" {
  command = apply

  assert {
    condition     = toset([for rule in aws_vpc_security_group_ingress_rule.public : rule.security_group_id]) == toset([aws_security_group.main["load-balancer"].id])
    error_message = "Only the load balancer is reachable from the internet."
  }
  assert {
    condition = { for name, rule in aws_vpc_security_group_ingress_rule.flow : name => [rule.security_group_id, rule.referenced_security_group_id, rule.from_port, rule.to_port] } == {
      for flow in [["load-balancer", "edge", 8080], ["load-balancer", "edge", 9180], ["edge", "auth", 3000], ["edge", "data", 3000], ["edge", "data", 3001],
      ["auth", "database", 5432], ["data", "database", 5432], ["migrate", "database", 5432]] :
      join("-", flow) => [aws_security_group.main[flow[1]].id, aws_security_group.main[flow[0]].id, tonumber(flow[2]), tonumber(flow[2])]
    }
    error_message = "The load balancer reaches only the edge, the edge reaches auth and PostgREST, and only tasks with a login reach the database."
  }
  assert {
    condition     = !aws_db_instance.main.publicly_accessible && alltrue([for service in aws_ecs_service.main : !service.network_configuration[0].assign_public_ip])
    error_message = "Neither the database nor a task may have a public address."
  }
  assert {
    condition = (aws_db_instance.main.storage_encrypted && aws_db_instance.main.deletion_protection && !aws_db_instance.main.skip_final_snapshot
    && aws_db_instance.main.backup_retention_period >= 7 && aws_db_instance.main.multi_az && aws_db_instance.main.password == null && aws_db_instance.main.manage_master_user_password)
    error_message = "The database is encrypted, backed up, protected and in two zones, and RDS manages its owner's password."
  }
  assert {
    condition     = one([for parameter in aws_db_parameter_group.main.parameter : parameter.value if parameter.name == "rds.force_ssl"]) == "1"
    error_message = "The database must refuse connections without TLS."
  }
  assert {
    condition = alltrue(flatten([for task in aws_ecs_task_definition.main : [for container in jsondecode(task.container_definitions) :
      container.user == (container.name == "certificates" ? "0" : "1000") && container.readonlyRootFilesystem && container.linuxParameters.capabilities.drop == ["ALL"]
    ]]))
    error_message = "Every container that serves runs as non-root, and all on a read-only image, without a capability."
  }
  assert {
    condition     = { for name, task in aws_ecs_task_definition.main : name => task.task_role_arn != null } == { edge = false, auth = true, data = false, migrate = true }
    error_message = "Only the auth service and the operator's command have rights in AWS, for files."
  }
  assert {
    condition = { for name, task in aws_ecs_task_definition.main : name => join(" ", sort(flatten([for container in jsondecode(task.container_definitions) : container.secrets[*].name]))) } == {
      edge = "", auth = "BETTER_AUTH_SECRET PGPASSWORD RESEND_API_KEY", data = "PGPASSWORD", migrate = "AUTHENTICATOR_PASSWORD AUTH_SERVICE_PASSWORD BETTER_AUTH_SECRET PGPASSWORD"
    }
    error_message = "Each task gets only its own secrets."
  }
  assert {
    condition     = alltrue([for version in aws_secretsmanager_secret_version.main : version.secret_string_wo == null && version.secret_string == ""]) && length(aws_secretsmanager_secret_version.main) == 3
    error_message = "No secret may be in the state."
  }
  assert {
    condition     = aws_db_instance.main.final_snapshot_identifier == "finance-final-${terraform_data.final_snapshot.id}"
    error_message = "The last snapshot of a second installation needs a name of its own."
  }
  assert {
    condition     = alltrue([for document in data.aws_iam_policy_document.execution : !anytrue([for statement in document.statement : anytrue([for action in statement.actions : startswith(action, "ecr:")])])])
    error_message = "Images of another registry need no rights in ECR."
  }
  assert {
    condition     = length(aws_vpc_endpoint.interface) + length(aws_vpc_endpoint.s3) == 0 && keys(aws_vpc_security_group_egress_rule.https) == ["auth", "data", "edge", "migrate"]
    error_message = "Endpoints are an option."
  }
  assert {
    condition = alltrue([for name, value in {
      PGRST_DB_SCHEMAS = "api", PGRST_DB_ANON_ROLE = "anon", PGRST_DB_PRE_CONFIG = "private.pre_config", PGRST_DB_PRE_REQUEST = "private.pre_request"
      PGRST_DB_URI     = "postgresql://", PGRST_DB_MAX_ROWS = "10000", PGRST_DB_TX_END = "commit-allow-override", PGSSLMODE = "verify-full", PGSSLROOTCERT = "/certificates/ca.pem", PGRST_DB_POOL = "12", GHCRTS = "-N1", PGRST_JWT_CACHE_MAX_ENTRIES = "1000"
      } : contains(one([for container in jsondecode(aws_ecs_task_definition.main["data"].container_definitions) : container.environment if container.name == "postgrest"]),
    { name = name, value = value })])
    error_message = "PostgREST runs with the settings of postgrest.conf."
  }
  assert {
    condition = alltrue([for name, value in { PGRST_DB_POOL = "12", AUTH_REPLICAS = "2-6", POSTGREST_REPLICAS = "2-6" } :
    contains(jsondecode(aws_ecs_task_definition.main["migrate"].container_definitions)[0].environment, { name = name, value = value })])
    error_message = "The migration counts the connections of all processes."
  }
  assert {
    condition = alltrue([for name, value in {
      AUTH_UPSTREAM   = "http://auth.finance.internal:3000", POSTGREST_UPSTREAM = "http://data.finance.internal:3000", POSTGREST_READY_PORT = "3001", PORT = "8080",
      EDGE_ADMIN_PORT = "9180", TRUSTED_PROXIES = "10.0.0.0/24,10.0.1.0/24", DATA_BODY_LIMIT = "2097152", PUBLIC_URL = "https://money.example.org", HOST = "0.0.0.0"
      PGRST_DB_POOL   = "12", EDGE_REPLICAS = "2-6"
    } : contains(jsondecode(aws_ecs_task_definition.main["edge"].container_definitions)[0].environment, { name = name, value = value })])
    error_message = "The edge resolves auth and PostgREST by name, knows how many connections it may use, and trusts only the load balancer's subnets for client addresses."
  }
  assert {
    condition = contains(jsondecode(aws_ecs_task_definition.main["auth"].container_definitions)[0].environment,
    { name = "TRUSTED_PROXIES", value = "10.0.10.0/24,10.0.11.0/24" })
    error_message = "The auth service trusts only the edge's subnets for client addresses."
  }
  assert {
    condition = ({ for name, service in aws_ecs_service.main : name => [length(service.load_balancer), length(service.service_registries)] } == { edge = [1, 0], auth = [0, 1], data = [0, 1] }
      && { for name, service in aws_service_discovery_service.main : name => [for record in service.dns_config[0].dns_records : "${record.type} ${record.ttl}"] } == { auth = ["A 1"], data = ["A 1"] }
    && aws_lb_target_group.edge.health_check[0].path == "/readyz" && aws_lb_target_group.edge.health_check[0].port == "9180")
    error_message = "The edge is the load balancer's only target, and resolves every task of the other two services."
  }
  assert {
    condition = { for container in jsondecode(aws_ecs_task_definition.main["data"].container_definitions) :
      container.name => [container.image, container.essential, try(container.mountPoints[0].containerPath, ""), try(container.mountPoints[0].readOnly, true), [for one in container.dependsOn : "${one.containerName} ${one.condition}"]]
      } == {
      certificates = ["registry.example.org/finance-backend:0.2.0", false, "/shared", false, []]
      postgrest    = ["postgrest/postgrest:v16.5", true, "/certificates", true, ["certificates SUCCESS"]]
    }
    error_message = "PostgREST starts after a container of our image has copied the certificates into the volume."
  }
  assert {
    condition = { for name, task in aws_ecs_task_definition.main : name => [for container in jsondecode(task.container_definitions) : container.healthCheck.command[1] if container.healthCheck != null] } == {
      edge = ["node"], auth = ["node"], data = ["/bin/postgrest"], migrate = []
    }
    error_message = "ECS checks the health of each service."
  }
  assert {
    condition     = aws_ecs_task_definition.main["data"].memory == "2048"
    error_message = "PostgREST has the memory that two of the largest bodies need."
  }
  assert {
    condition     = alltrue([for service in aws_ecs_service.main : service.deployment_circuit_breaker[0].rollback && service.desired_count >= 2])
    error_message = "A version that does not become healthy is rolled back, and one task may fail at a time."
  }
  assert {
    condition = (aws_lb_listener.http.default_action[0].redirect[0].protocol == "HTTPS" && aws_lb_listener.https.default_action[0].type == "fixed-response"
      && try(!aws_lb_target_group.edge.stickiness[0].enabled, true)
    && [for condition in aws_lb_listener_rule.edge.condition : condition.host_header[0].values] == [toset(["money.example.org"])])
    error_message = "Plain HTTP is redirected, every path of the host leads to any task of the edge, and other hosts get 404."
  }
  assert {
    condition     = aws_lb_listener.https.routing_http_response_strict_transport_security_header_value == "max-age=63072000"
    error_message = "HSTS is set."
  }
  assert {
    condition     = !strcontains(jsonencode([for task in aws_ecs_task_definition.main : task.container_definitions]), "OTEL_") && length(aws_vpc_security_group_egress_rule.tracing) == 0
    error_message = "Tracing is off by default."
  }
  assert {
    condition     = jsondecode(aws_ecs_task_definition.main["auth"].container_definitions)[0].command == ["node", "--max-old-space-size=${aws_ecs_task_definition.main["auth"].memory / 2}", "auth/main.ts"]
    error_message = "Node's heap is half of the task's memory."
  }
  assert {
    condition     = aws_cloudwatch_metric_alarm.database["connections"].threshold == 20 * 6 + 13 * 6 + 5 && length(aws_cloudwatch_metric_alarm.service) == 8 && length(aws_cloudwatch_metric_alarm.task) == 6 && length(aws_cloudwatch_metric_alarm.database) == 4 && length(aws_cloudwatch_metric_alarm.key_age) == 1
    error_message = "Errors, latency, saturation and the key's age have an alarm each."
  }
  assert {
    condition = (length(aws_lb.main.access_logs) == 0 && aws_flow_log.main[0].vpc_id == aws_vpc.main[0].id
      && { for rule in aws_s3_bucket_lifecycle_configuration.logs[0].rule : rule.id => rule.expiration[0].days } == { flow = 30 }
    && aws_s3_bucket_public_access_block.logs[0].restrict_public_buckets && aws_s3_bucket_public_access_block.logs[0].block_public_policy)
    error_message = "Flow logs are stored, not public, and expire. Access logs, which contain tokens, are off."
  }
  assert {
    condition     = output.public_url == "https://money.example.org" && length(aws_nat_gateway.main) == 2
    error_message = "The DNS name is the host's, and each zone has its own outbound gateway."
  }
}

run "another_image_changes_no_secret" {
  command = apply
  variables {
    auth_image = "registry.example.org/finance-backend:0.2.0"
  }
  assert {
    condition     = jsondecode(aws_ecs_task_definition.main["auth"].container_definitions)[0].image == "registry.example.org/finance-backend:0.2.0"
    error_message = "The task definition must have the new image."
  }
  assert {
    condition     = output.secret_versions == run.everything.secret_versions
    error_message = "A change of the image must not change a secret."
  }
}

run "a_raised_version_creates_that_secret_again_and_replaces_the_tasks" {
  command = apply
  variables {
    secret_versions = { authenticator_password = 2, better_auth_secret = 2 }
  }
  assert {
    condition     = [for name, task in aws_ecs_task_definition.main : name if strcontains(task.container_definitions, "\"value\":\"1,2,2,1,1\"")] == ["auth", "data", "migrate"]
    error_message = "Every task definition with the secret must name its new version, or old tasks would keep the old one."
  }
  assert {
    condition     = [for name, version in output.secret_versions : name if version != run.everything.secret_versions[name]] == ["authenticator_password", "better_auth_secret"]
    error_message = "Only these resources are replaced."
  }
  assert {
    condition     = strcontains(aws_ecs_task_definition.main["auth"].container_definitions, ":::${output.secret_versions["better_auth_secret"]}\"")
    error_message = "A task definition names its version of BETTER_AUTH_SECRET, so that a rollback uses it."
  }
}

run "an_existing_network_is_used_and_the_migration_runs_first" {
  command = plan
  variables {
    migrate_on_apply = true
    network          = { vpc_id = "vpc-1", public_subnet_ids = ["subnet-1", "subnet-2"], private_subnet_ids = ["subnet-3", "subnet-4"] }
  }
  assert {
    condition = (length(aws_vpc.main) + length(aws_subnet.public) + length(aws_nat_gateway.main) == 0 && aws_security_group.main["database"].vpc_id == "vpc-1"
    && toset(aws_ecs_service.main["auth"].network_configuration[0].subnets) == toset(["subnet-3", "subnet-4"]))
    error_message = "With an existing network, no part of a network is created."
  }
  assert {
    condition     = length(terraform_data.migration) == 1
    error_message = "The migration runs on apply."
  }
}

run "smtp_and_no_certificates" {
  command = apply
  variables {
    mail                   = { from = "money@example.org", provider = "smtp", secret_arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:finance-mail-GhIjKl" }
    database_ca_unverified = true
    settings               = { KEY_ROTATION_DAYS = "0" }
  }
  assert {
    condition     = strcontains(aws_ecs_task_definition.main["auth"].container_definitions, "SMTP_URL") && length(aws_vpc_security_group_egress_rule.smtp) == 2
    error_message = "The auth service gets the URL, and may connect to the mail server."
  }
  assert {
    condition     = strcontains(aws_ecs_task_definition.main["auth"].container_definitions, "sslmode=no-verify") && length(jsondecode(aws_ecs_task_definition.main["data"].container_definitions)) == 1
    error_message = "Without certificates the connection is only encrypted, and no certificate is copied."
  }
  assert {
    condition     = length(aws_cloudwatch_metric_alarm.key_age) == 0
    error_message = "A key that is rotated only by hand has no alarm for its age."
  }
}

run "an_existing_database_and_secret_are_used" {
  command = apply
  variables {
    better_auth_secret_arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:finance/better_auth_secret-XyZ123"
    restore                = { identifier = "finance-2", source = "finance" }
  }
  assert {
    condition     = aws_db_instance.main.identifier == "finance-2" && aws_cloudwatch_metric_alarm.database["storage"].dimensions.DBInstanceIdentifier == "finance-2"
    error_message = "The alarms watch the restored server."
  }
  assert {
    condition = (keys(output.secret_versions) == ["auth_service_password", "authenticator_password"]
    && strcontains(aws_ecs_task_definition.main["auth"].container_definitions, "secret:finance/better_auth_secret-XyZ123\""))
    error_message = "With an existing secret, no secret is created."
  }
}

run "an_outage_raises_alarms" {
  command = apply
  variables {
    notify        = ["on-call@example.org", "https://pager.example.org/hook"]
    alarm_actions = ["arn:aws:sns:eu-central-1:123456789012:ours"]
  }
  assert {
    condition = alltrue([for name in ["edge-down", "auth-down", "data-down"] :
      aws_cloudwatch_metric_alarm.service[name].treat_missing_data == "breaching" && aws_cloudwatch_metric_alarm.service[name].comparison_operator == "LessThanThreshold"
      && anytrue([for query in aws_cloudwatch_metric_alarm.service[name].metric_query : try(query.metric[0].metric_name == "RunningTaskCount", false)])
    ])
    error_message = "A service without tasks reports no data, which must raise an alarm."
  }
  assert {
    condition     = aws_cloudwatch_metric_alarm.load_balancer.metric_name == "HTTPCode_ELB_5XX_Count"
    error_message = "Errors that the load balancer returns for an unresponsive edge are counted."
  }
  assert {
    condition = alltrue([for alarm in concat(values(aws_cloudwatch_metric_alarm.service), values(aws_cloudwatch_metric_alarm.task), values(aws_cloudwatch_metric_alarm.database),
      values(aws_cloudwatch_metric_alarm.event), aws_cloudwatch_metric_alarm.key_age, [aws_cloudwatch_metric_alarm.load_balancer]) :
    alarm.alarm_actions == toset(["arn:aws:sns:eu-central-1:123456789012:ours", aws_sns_topic.alarms[0].arn])])
    error_message = "Every alarm notifies the targets in notify and alarm_actions."
  }
  assert {
    condition = ({ for target, subscription in aws_sns_topic_subscription.alarms : target => subscription.protocol } == { "on-call@example.org" = "email", "https://pager.example.org/hook" = "https" }
    && aws_route53_health_check.outside[0].resource_path == "/healthz" && length(aws_sns_topic_subscription.outside) == 2 && length(aws_db_event_subscription.main) == 1)
    error_message = "The targets in notify also receive external checks and the database's events."
  }
}

run "a_zone_has_the_certificate_and_the_name" {
  command = apply
  variables {
    access_log_days = 7
    certificate_arn = null
    zone_id         = "Z0123456789ABC"
  }
  assert {
    condition     = aws_lb_listener.https.certificate_arn == aws_acm_certificate_validation.main[0].certificate_arn && aws_route53_record.main[0].name == "money.example.org"
    error_message = "The load balancer has the created certificate, and the DNS name points to it."
  }
  assert {
    condition = (aws_lb.main.access_logs[0].bucket == aws_s3_bucket.logs[0].id
    && { for rule in aws_s3_bucket_lifecycle_configuration.logs[0].rule : rule.id => rule.expiration[0].days } == { access = 7, flow = 30 })
    error_message = "Access logs, if chosen, are stored and expire."
  }
}

run "customer_keys_copies_and_repositories" {
  command = plan
  variables {
    kms_key_arn       = "arn:aws:kms:eu-central-1:123456789012:key/1"
    copies            = { region = "eu-west-1", kms_key_arn = "arn:aws:kms:eu-west-1:123456789012:key/2" }
    make_repositories = true
    cpu_architecture  = "ARM64"
    web_acl_arn       = "arn:aws:wafv2:eu-central-1:123456789012:regional/webacl/ours/1"
  }
  assert {
    condition = alltrue([for key in concat(
      [aws_db_instance.main.kms_key_id, aws_db_instance.main.master_user_secret_kms_key_id, aws_db_instance.main.performance_insights_kms_key_id],
      [for secret in aws_secretsmanager_secret.main : secret.kms_key_id], [for group in aws_cloudwatch_log_group.main : group.kms_key_id],
      [for group in aws_cloudwatch_log_group.made_by_aws : group.kms_key_id], [for repository in aws_ecr_repository.main : repository.encryption_configuration[0].kms_key],
    ) : key == "arn:aws:kms:eu-central-1:123456789012:key/1"])
    error_message = "All resources that support it are encrypted with the given key."
  }
  assert {
    condition = (aws_db_instance_automated_backups_replication.main[0].kms_key_id == "arn:aws:kms:eu-west-1:123456789012:key/2"
    && [for name, secret in aws_secretsmanager_secret.main : one(secret.replica).region if length(secret.replica) > 0] == ["eu-west-1"])
    error_message = "The other region gets copies of the backups and of the secret that decrypts the signing keys."
  }
  assert {
    condition     = alltrue([for task in aws_ecs_task_definition.main : task.runtime_platform[0].cpu_architecture == "ARM64"]) && length(aws_ecr_repository.main) == 1 && length(aws_wafv2_web_acl_association.main) == 1
    error_message = "The platform is set, and the optional resources exist."
  }
}

run "single_sign_on_has_its_secret_from_secrets_manager" {
  command = apply
  variables {
    settings    = { OIDC_ISSUER = "https://login.example.org", OIDC_CLIENT_ID = "finance" }
    secret_arns = { OIDC_CLIENT_SECRET = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:finance-oidc-AbCdEf" }
  }
  assert {
    condition = contains(
      jsondecode(aws_ecs_task_definition.main["auth"].container_definitions)[0].secrets,
      { name = "OIDC_CLIENT_SECRET", valueFrom = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:finance-oidc-AbCdEf" }
    )
    error_message = "The auth service reads the client secret of the provider."
  }
  assert {
    condition     = !strcontains(aws_ecs_task_definition.main["edge"].container_definitions, "OIDC_")
    error_message = "The edge, which does not read it, does not get it."
  }
}

run "spans_go_only_to_the_collector" {
  command = apply
  variables {
    tracing     = { endpoint = "http://collector.internal:4318", cidr = "10.0.0.0/16" }
    secret_arns = { OTEL_EXPORTER_OTLP_HEADERS = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:finance-otel-AbCdEf" }
    tasks       = { auth = { cpu = 1024, memory = 2048, minimum = 2, maximum = 4 }, data = { cpu = 256, memory = 2048, minimum = 2, maximum = 4 }, edge = { cpu = 256, memory = 512, minimum = 2, maximum = 4 } }
  }
  assert {
    condition = alltrue([for name in ["edge", "auth"] :
      contains(jsondecode(aws_ecs_task_definition.main[name].container_definitions)[0].environment, { name = "OTEL_EXPORTER_OTLP_ENDPOINT", value = "http://collector.internal:4318" })
    && contains(jsondecode(aws_ecs_task_definition.main[name].container_definitions)[0].secrets, { name = "OTEL_EXPORTER_OTLP_HEADERS", valueFrom = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:finance-otel-AbCdEf" })])
    error_message = "The auth service and the edge send spans, and the headers for the collector are a secret."
  }
  assert {
    condition     = { for name, rule in aws_vpc_security_group_egress_rule.tracing : name => [rule.cidr_ipv4, rule.from_port, rule.to_port] } == { auth = ["10.0.0.0/16", 4318, 4318], edge = ["10.0.0.0/16", 4318, 4318] }
    error_message = "Both may connect to the collector's port."
  }
  assert {
    condition     = strcontains(aws_ecs_task_definition.main["auth"].container_definitions, "--max-old-space-size=1024")
    error_message = "Node's heap depends on the task's memory."
  }
}

run "live_streams_have_tasks_of_their_own" {
  command = apply
  variables {
    tasks = {
      edge     = { cpu = 256, memory = 512, minimum = 2, maximum = 6 }, auth = { cpu = 512, memory = 1024, minimum = 2, maximum = 4 }
      realtime = { cpu = 256, memory = 512, minimum = 2, maximum = 3 }, data = { cpu = 256, memory = 2048, minimum = 2, maximum = 4 }
    }
    vpc_endpoints   = true
    auth_image      = "123456789012.dkr.ecr.eu-central-1.amazonaws.com/finance-backend:0.2.0"
    postgrest_image = "123456789012.dkr.ecr.eu-central-1.amazonaws.com/mirror/postgrest:v16.5"
    tracing         = { endpoint = "http://collector.internal:4318" }
    settings        = { CHANGES_STREAMS = "1500", SIGN_UP = "closed" }
  }
  assert {
    condition = ({ for name, service in aws_ecs_service.main : name => [length(service.load_balancer), length(service.service_registries)] } == { edge = [1, 0], auth = [0, 1], data = [0, 1], realtime = [0, 1] }
    && keys(aws_service_discovery_service.main) == ["auth", "data", "realtime"] && aws_appautoscaling_target.service["realtime"].max_capacity == 3)
    error_message = "The edge finds each task of realtime by name, and their number scales."
  }
  assert {
    condition = alltrue([for variable in [
      ["edge", "REALTIME_UPSTREAM", "http://realtime.finance.internal:3000"], ["auth", "AUTH_SERVES_REALTIME", "false"], ["migrate", "REALTIME_REPLICAS", "2-3"],
      ["realtime", "CHANGES_STREAMS", "1500"], ["realtime", "TRUSTED_PROXIES", "10.0.10.0/24,10.0.11.0/24"], ["realtime", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector.internal:4318"],
    ] : contains(jsondecode(aws_ecs_task_definition.main[variable[0]].container_definitions)[0].environment, { name = variable[1], value = variable[2] })])
    error_message = "The edge sends live streams to realtime, the auth service leaves them to it, and the migration counts its connections."
  }
  assert {
    condition = (jsondecode(aws_ecs_task_definition.main["realtime"].container_definitions)[0].command == ["node", "--max-old-space-size=256", "realtime/main.ts"]
      && sort(jsondecode(aws_ecs_task_definition.main["realtime"].container_definitions)[0].secrets[*].name) == tolist(["BETTER_AUTH_SECRET", "PGPASSWORD"])
    && aws_ecs_task_definition.main["realtime"].task_role_arn == null && !strcontains(aws_ecs_task_definition.main["realtime"].container_definitions, "SIGN_UP"))
    error_message = "It has the secrets and settings of sessions, none of mail and no rights in AWS."
  }
  assert {
    condition = (toset([for name, rule in aws_vpc_security_group_ingress_rule.flow : name if rule.security_group_id == aws_security_group.main["realtime"].id || rule.referenced_security_group_id == aws_security_group.main["realtime"].id]) == toset(["edge-realtime-3000", "realtime-database-5432"])
    && keys(aws_vpc_security_group_egress_rule.https) == ["auth", "realtime"] && keys(aws_vpc_security_group_egress_rule.tracing) == ["auth", "edge", "realtime"])
    error_message = "Only the edge reaches realtime, which reaches the database, the receivers of webhooks and the collector."
  }
  assert {
    condition     = aws_cloudwatch_metric_alarm.database["connections"].threshold == 20 * (4 + 3) + 13 * 4 + 5 && length(aws_cloudwatch_metric_alarm.service) == 10 && length(aws_cloudwatch_metric_alarm.task) == 8 && aws_cloudwatch_log_group.main["realtime"].name == "/finance/realtime"
    error_message = "It has alarms and a log as the others, and its connections count."
  }
}

run "files_are_in_a_private_bucket" {
  command = apply
  variables {
    settings = { FILES_QUOTA = "5000000000", TRUSTED_ORIGINS = "https://app.example.com" }
  }
  assert {
    condition = (aws_s3_bucket_public_access_block.files[0].restrict_public_buckets && aws_s3_bucket_public_access_block.files[0].block_public_policy
      && aws_s3_bucket_public_access_block.files[0].block_public_acls && aws_s3_bucket_public_access_block.files[0].ignore_public_acls
      && aws_s3_bucket_versioning.files[0].versioning_configuration[0].status == "Enabled"
    && one(aws_s3_bucket_lifecycle_configuration.files[0].rule).noncurrent_version_expiration[0].noncurrent_days == 35)
    error_message = "The bucket is private, and keeps deleted files for 35 days."
  }
  assert {
    condition = ([for statement in data.aws_iam_policy_document.files[0].statement : [statement.actions, statement.resources]] == [
      [toset(["s3:GetObject", "s3:PutObject", "s3:DeleteObject"]), toset(["${aws_s3_bucket.files[0].arn}/files/*"])],
      [toset(["s3:ListBucket"]), toset([aws_s3_bucket.files[0].arn])]
    ] && one(data.aws_iam_policy_document.files_bucket[0].statement).effect == "Deny")
    error_message = "The tasks may read, write and delete files and nothing else, and only with TLS."
  }
  assert {
    condition     = one(aws_s3_bucket_cors_configuration.files[0].cors_rule).allowed_origins == toset(["https://money.example.org", "null", "https://app.example.com"])
    error_message = "Pages of the app's origins may read from addresses of files."
  }
  assert {
    condition = { for name, task in aws_ecs_task_definition.main : name => { for variable in flatten([for container in jsondecode(task.container_definitions) : container.environment]) : variable.name => variable.value if startswith(variable.name, "FILES_") } } == {
      data    = {}
      edge    = { FILES_URL = "s3://${aws_s3_bucket.files[0].id}/files?region=eu-central-1" }
      auth    = { FILES_URL = "s3://${aws_s3_bucket.files[0].id}/files?region=eu-central-1" }
      migrate = { FILES_URL = "s3://${aws_s3_bucket.files[0].id}/files?region=eu-central-1", FILES_QUOTA = "5000000000" }
    }
    error_message = "The services get the bucket, and the migration stores the limits of files."
  }
}

run "reads_on_two_replicas" {
  command = apply
  variables {
    readers = 2
  }
  assert {
    condition = alltrue([for reader in aws_db_instance.reader : reader.replicate_source_db == "finance" && reader.storage_encrypted && !reader.publicly_accessible
    && toset(reader.vpc_security_group_ids) == toset([aws_security_group.main["database"].id])]) && [for reader in aws_db_instance.reader : reader.identifier] == ["finance-reader-1", "finance-reader-2"]
    error_message = "Each replica copies the database, encrypted, without a public address, and only tasks with a login reach it."
  }
  assert {
    condition = alltrue([for name in ["reader-1", "reader-2"] : [for container in jsondecode(aws_ecs_task_definition.main[name].container_definitions) : container.name] == ["certificates", "postgrest"]
      && alltrue([for variable, value in { PGTARGETSESSIONATTRS = "prefer-standby", PGAPPNAME = "postgrest-standby", PGSSLMODE = "verify-full", VERSION = "registry.example.org/finance-backend:0.2.0" } :
    contains(jsondecode(aws_ecs_task_definition.main[name].container_definitions)[1].environment, { name = variable, value = value })])])
    error_message = "A reader is PostgREST on its replica, which a new version replaces."
  }
  assert {
    condition     = local.reader_environment["reader-2"].PGHOST == "${aws_db_instance.reader[1].address},${aws_db_instance.main.address}"
    error_message = "A reader without its replica uses the primary."
  }
  assert {
    condition = alltrue([for name, value in { DATA_REPLICAS = "reader-1.finance.internal:3000 reader-2.finance.internal:3000", DATA_REPLICAS_READY_PORT = "3001", POSTGREST_UPSTREAM = "http://data.finance.internal:3000" } :
    contains(jsondecode(aws_ecs_task_definition.main["edge"].container_definitions)[0].environment, { name = name, value = value })])
    error_message = "The edge resolves the readers by names of their own."
  }
  assert {
    condition = [for name, rule in aws_vpc_security_group_ingress_rule.flow : name if strcontains(name, "reader")] == [
    "edge-reader-1-3000", "edge-reader-1-3001", "edge-reader-2-3000", "edge-reader-2-3001", "reader-1-database-5432", "reader-2-database-5432"]
    error_message = "Only the edge reaches a reader, and a reader reaches only the database."
  }
  assert {
    condition     = [for name in ["data", "reader-1", "reader-2"] : aws_appautoscaling_target.service[name].max_capacity] == [6, 6, 6] && keys(aws_service_discovery_service.main) == ["auth", "data", "reader-1", "reader-2"]
    error_message = "A reader scales as data does, and has a name of its own."
  }
  assert {
    condition     = contains(jsondecode(aws_ecs_task_definition.main["migrate"].container_definitions)[0].environment, { name = "POSTGREST_REPLICAS", value = "6-18" })
    error_message = "The migration counts the readers, whose connections go to the primary if there is no replica."
  }
  assert {
    condition = (length(aws_cloudwatch_metric_alarm.reader_delay) == 2 && length(aws_cloudwatch_log_group.reader) == 4
    && contains(keys(aws_cloudwatch_metric_alarm.service), "reader-1-unhealthy") && !contains(keys(aws_cloudwatch_metric_alarm.service), "reader-1-down"))
    error_message = "A late replica and a missing task raise an alarm, and are no outage."
  }
}

run "endpoints_replace_the_internet_and_rights_name_the_repositories" {
  command = apply
  variables {
    vpc_endpoints   = true
    auth_image      = "123456789012.dkr.ecr.eu-central-1.amazonaws.com/finance-backend:0.2.0"
    postgrest_image = "123456789012.dkr.ecr.eu-central-1.amazonaws.com/mirror/postgrest:v16.5"
  }
  assert {
    condition     = keys(aws_vpc_endpoint.interface) == ["ecr.api", "ecr.dkr", "logs", "secretsmanager"] && aws_vpc_endpoint.s3[0].vpc_endpoint_type == "Gateway" && toset(aws_vpc_endpoint.s3[0].route_table_ids) == toset(aws_route_table.private[*].id)
    error_message = "The tasks reach secrets, images, logs and S3 within the network."
  }
  assert {
    condition     = keys(aws_vpc_security_group_egress_rule.https) == ["auth"] && keys(aws_vpc_security_group_egress_rule.endpoints) == ["auth", "data", "edge", "migrate"] && keys(aws_vpc_security_group_egress_rule.s3) == ["auth", "data", "edge", "migrate"]
    error_message = "Only the auth service reaches the internet."
  }
  assert {
    condition     = { for name, rule in aws_vpc_security_group_ingress_rule.endpoints : name => rule.referenced_security_group_id } == { for name in ["auth", "data", "edge", "migrate"] : name => aws_security_group.main[name].id }
    error_message = "Only the tasks reach the endpoints."
  }
  assert {
    condition = { for name, document in data.aws_iam_policy_document.execution : name => { for statement in document.statement : statement.sid => statement.resources if contains(["Registry", "OwnImages"], statement.sid) } } == merge(
      { for name in ["auth", "edge", "migrate"] : name => { Registry = toset(["*"]), OwnImages = toset(["arn:aws:ecr:eu-central-1:123456789012:repository/finance-backend"]) } },
      { data = { Registry = toset(["*"]), OwnImages = toset(["arn:aws:ecr:eu-central-1:123456789012:repository/finance-backend", "arn:aws:ecr:eu-central-1:123456789012:repository/mirror/postgrest"]) } },
    )
    error_message = "Each task may read only the repositories of its images."
  }
}

run "a_small_installation_saves_redundancy_where_asked" {
  command = plan
  variables {
    nat_gateways = 1
    single_tasks = true
    tasks        = { for name, memory in { edge = 512, auth = 1024, data = 2048 } : name => { cpu = 256, memory = memory, minimum = 1, maximum = 2 } }
    database     = { instance_class = "db.t4g.micro", multi_az = false }
  }
  assert {
    condition     = length(aws_nat_gateway.main) == 1 && length(aws_route_table.private) == 2 && alltrue([for target in aws_appautoscaling_target.service : target.min_capacity == 1]) && !aws_db_instance.main.multi_az
    error_message = "Both zones use the one gateway, each service has one task, and the database one server."
  }
}

# Null is the default, and not the end of verification.
run "no_certificate_is_not_no_verification" {
  command = plan
  variables {
    database_ca_file = null
  }
  assert {
    condition     = local.node_tls == "sslmode=verify-full&sslrootcert=/certificates/rds.pem" && local.libpq_tls.PGSSLMODE == "verify-full"
    error_message = "The database's certificate is verified."
  }
}

run "files_in_the_database_need_no_bucket" {
  command = plan
  variables {
    files_in_s3 = false
  }
  assert {
    condition     = length(aws_s3_bucket.files) + length(aws_iam_role.files) == 0 && alltrue([for task in aws_ecs_task_definition.main : task.task_role_arn == null])
    error_message = "Without the bucket no container has rights in AWS."
  }
}

run "without_access_and_flow_logs_there_is_no_bucket" {
  command = plan
  variables {
    flow_log_days = 0
  }
  assert {
    condition     = length(aws_s3_bucket.logs) + length(aws_flow_log.main) + length(aws_lb.main.access_logs) == 0
    error_message = "Options that are off create no resources."
  }
}

run "the_edge_scales_beyond_eight_tasks_and_services_behind_it_do_not" {
  command = plan
  variables {
    tasks = { for name, maximum in { edge = 16, auth = 8, data = 9 } : name => { cpu = 256, memory = 512, minimum = 2, maximum = maximum } }
  }
  expect_failures = [var.tasks]
}

run "a_misspelt_service_is_refused" {
  command = plan
  variables {
    tasks = { for name, memory in { edge = 512, auth = 512, data = 2048, realtme = 512 } : name => { cpu = 256, memory = memory, minimum = 2, maximum = 2 } }
  }
  expect_failures = [var.tasks]
}

# Each of these variables is invalid, and each must be refused. They share one run, because a run takes seconds.
run "invalid_variables_are_refused" {
  command = plan
  variables {
    region          = "mx-central-1" # the image has no certificate for it
    host_name       = "https://money.example.org"
    certificate_arn = null
    auth_image      = "registry.example.org/finance-backend:latest"
    postgrest_image = "postgrest/postgrest:v16.2"
    # A single task is not enough.
    tasks    = { auth = { cpu = 256, memory = 512, minimum = 1, maximum = 1 }, data = { cpu = 256, memory = 512, minimum = 2, maximum = 2 } }
    database = { version = "14", backup_days = 1 }
    mail     = { from = "money@example.org", provider = "carrier-pigeon", secret_arn = "re_the_key_itself" }
    settings = { BETTER_AUTH_SECRET = "not here" }
    # Public subnets in only one zone.
    network          = { vpc_id = "vpc-1", public_subnet_ids = ["subnet-1"], private_subnet_ids = ["subnet-3", "subnet-4"] }
    copies           = { region = "mx-central-1", kms_key_arn = "arn:aws:kms:mx-central-1:123456789012:key/1" }
    restore          = { identifier = "finance-2" }
    notify           = ["http://example.org/hook"]
    cpu_architecture = "386"

    data_jwt_cache_entries = -1
    tracing                = { endpoint = "https://ann:secret@collector.example.org" }
    better_auth_secret_arn = "the secret itself, which would be in the state"
    nat_gateways           = 3
    data_pool              = 0
    log_retention_days     = 8
    access_log_days        = -1
    flow_log_days          = 1.5
    web_acl_arn            = "ours"
    vpc_cidr               = "10.0.0.0/24" # its subnets would be single addresses
    data_body_limit        = 65536.5
    kms_key_arn            = "ours"
    alarm_actions          = ["ours"]
    secret_arns            = { OIDC_CLIENT_SECRET = "the secret itself, which would be in the state" }
  }
  expect_failures = [
    var.database_ca_file, var.host_name, var.certificate_arn, var.auth_image, var.postgrest_image, var.tasks, var.database, var.mail,
    var.settings, var.network, var.copies, var.data_jwt_cache_entries, var.restore, var.notify, var.cpu_architecture, var.tracing, var.better_auth_secret_arn, var.secret_arns,
    data.aws_region.main, var.nat_gateways, var.data_pool, var.log_retention_days, var.access_log_days, var.flow_log_days, var.web_acl_arn,
    var.kms_key_arn, var.alarm_actions, var.vpc_cidr, var.data_body_limit,
  ]
}

# These refusals compare variables with others, which must be valid.
run "variables_that_contradict_others_are_refused" {
  command = plan
  variables {
    vpc_endpoints      = true # the images are not in ECR
    files_deleted_days = 13
  }
  expect_failures = [var.vpc_endpoints, var.files_deleted_days]
}

# Each of these has a valid form, but AWS would refuse it in the middle of an apply.
run "values_that_aws_does_not_have_are_refused" {
  command = plan
  variables {
    tasks   = { for name, memory in { edge = 512, auth = 4096, data = 2048 } : name => { cpu = 256, memory = memory, minimum = 2, maximum = 2 } }
    restore = { identifier = "finance-2", source = "finance", time = "21 November" }
    network = { vpc_id = "main", public_subnet_ids = ["subnet-1", "subnet-2"], private_subnet_ids = ["subnet-3", "subnet-4"] }
    copies  = { region = "eu-west-1", kms_key_arn = "arn:aws:kms:eu-west-1:123456789012:key/2", days = 36 }
    zone_id = "example.org"
    readers = 16
    # Each has another variable, which also opens the network or creates the bucket.
    settings = { OTEL_EXPORTER_OTLP_ENDPOINT = "http://collector:4318", FILES_URL = "s3://ours" }
  }
  expect_failures = [var.tasks, var.restore, var.network, var.copies, var.zone_id, var.settings, var.readers]
}

run "endpoints_in_an_existing_network_need_its_route_tables" {
  command = plan
  variables {
    vpc_endpoints   = true
    auth_image      = "123456789012.dkr.ecr.eu-central-1.amazonaws.com/finance-backend:0.2.0"
    postgrest_image = "123456789012.dkr.ecr.eu-central-1.amazonaws.com/mirror/postgrest:v16.5"
    network         = { vpc_id = "vpc-1", public_subnet_ids = ["subnet-1", "subnet-2"], private_subnet_ids = ["subnet-3", "subnet-4"] }
  }
  expect_failures = [var.private_route_table_ids]
}

run "the_region_is_that_of_the_provider" {
  command = plan
  variables {
    region = "eu-west-1"
  }
  expect_failures = [data.aws_region.main]
}
