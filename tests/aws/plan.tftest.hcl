# The plan against a provider that invents what AWS would answer: nothing is made, no account is needed. What is asserted
# is what must not change unnoticed. The secrets alone are made by the real provider's own code, which asks the Secrets Manager
# that ./check starts beside the tests.

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
  auth_image       = "registry.example.org/finance-backend:0.1.0"
  mail             = { from = "Money <money@example.org>", provider = "resend", secret_arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:finance-mail-GhIjKl" }
  migrate_on_apply = false
}

run "everything" {
  command = apply

  assert {
    condition     = toset([for rule in aws_vpc_security_group_ingress_rule.public : rule.security_group_id]) == toset([aws_security_group.main["load-balancer"].id])
    error_message = "Only the load balancer may be reached from anywhere."
  }
  assert {
    condition = { for name, rule in aws_vpc_security_group_ingress_rule.flow : name => [rule.security_group_id, rule.referenced_security_group_id, rule.from_port, rule.to_port] } == {
      for flow in [["load-balancer", "edge", 8080], ["load-balancer", "edge", 9180], ["edge", "auth", 3000], ["edge", "data", 3000], ["edge", "data", 3001],
      ["auth", "database", 5432], ["data", "database", 5432], ["migrate", "database", 5432]] :
      join("-", flow) => [aws_security_group.main[flow[1]].id, aws_security_group.main[flow[0]].id, tonumber(flow[2]), tonumber(flow[2])]
    }
    error_message = "The load balancer reaches the edge alone, the edge auth and PostgREST, and only tasks with a login the database."
  }
  assert {
    condition     = !aws_db_instance.main.publicly_accessible && alltrue([for service in aws_ecs_service.main : !service.network_configuration[0].assign_public_ip])
    error_message = "Neither the database nor a task may have a public address."
  }
  assert {
    condition = (aws_db_instance.main.storage_encrypted && aws_db_instance.main.deletion_protection && !aws_db_instance.main.skip_final_snapshot
    && aws_db_instance.main.backup_retention_period >= 7 && aws_db_instance.main.multi_az && aws_db_instance.main.password == null && aws_db_instance.main.manage_master_user_password)
    error_message = "The database is encrypted, backed up, protected, in two zones, and its owner's password is RDS's own business."
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
    condition     = alltrue([for task in aws_ecs_task_definition.main : task.task_role_arn == null])
    error_message = "No container may do anything in AWS."
  }
  assert {
    condition = { for name, task in aws_ecs_task_definition.main : name => join(" ", sort(flatten([for container in jsondecode(task.container_definitions) : container.secrets[*].name]))) } == {
      edge = "", auth = "BETTER_AUTH_SECRET PGPASSWORD RESEND_API_KEY", data = "PGPASSWORD", migrate = "AUTHENTICATOR_PASSWORD AUTH_SERVICE_PASSWORD BETTER_AUTH_SECRET PGPASSWORD"
    }
    error_message = "Each task gets its own secrets and no other's."
  }
  assert {
    condition     = alltrue([for version in aws_secretsmanager_secret_version.main : version.secret_string_wo == null && version.secret_string == ""]) && length(aws_secretsmanager_secret_version.main) == 3
    error_message = "No secret may be in the state."
  }
  assert {
    condition = alltrue([for name, value in {
      PGRST_DB_SCHEMAS = "api", PGRST_DB_ANON_ROLE = "anon", PGRST_DB_PRE_CONFIG = "private.pre_config", PGRST_DB_PRE_REQUEST = "private.pre_request"
      PGRST_DB_URI     = "postgresql://", PGRST_DB_MAX_ROWS = "10000", PGRST_DB_TX_END = "commit-allow-override", PGSSLMODE = "verify-full", PGSSLROOTCERT = "/certificates/ca.pem", PGRST_DB_POOL = "12", GHCRTS = "-N1", PGRST_JWT_CACHE_MAX_ENTRIES = "1000"
      } : contains(one([for container in jsondecode(aws_ecs_task_definition.main["data"].container_definitions) : container.environment if container.name == "postgrest"]),
    { name = name, value = value })])
    error_message = "PostgREST runs as postgrest.conf says."
  }
  assert {
    condition = alltrue([for name, value in { PGRST_DB_POOL = "12", AUTH_REPLICAS = "2-6", POSTGREST_REPLICAS = "2-6" } :
    contains(jsondecode(aws_ecs_task_definition.main["migrate"].container_definitions)[0].environment, { name = name, value = value })])
    error_message = "The migration divides the connections that PostgREST has, and adds up everybody's."
  }
  assert {
    condition = alltrue([for name, value in {
      AUTH_UPSTREAM   = "http://auth.finance.internal:3000", POSTGREST_UPSTREAM = "http://data.finance.internal:3000", POSTGREST_READY_PORT = "3001", PORT = "8080",
      EDGE_ADMIN_PORT = "9180", TRUSTED_PROXIES = "10.0.0.0/24,10.0.1.0/24", DATA_BODY_LIMIT = "2097152", PUBLIC_URL = "https://money.example.org", HOST = "0.0.0.0"
    } : contains(jsondecode(aws_ecs_task_definition.main["edge"].container_definitions)[0].environment, { name = name, value = value })])
    error_message = "The edge finds auth and PostgREST by name, and believes the load balancer's subnets alone about a client's address."
  }
  assert {
    condition = contains(jsondecode(aws_ecs_task_definition.main["auth"].container_definitions)[0].environment,
    { name = "TRUSTED_PROXIES", value = "10.0.10.0/24,10.0.11.0/24" })
    error_message = "The auth service believes the edge's subnets, and no others, about a client's address."
  }
  assert {
    condition = ({ for name, service in aws_ecs_service.main : name => [length(service.load_balancer), length(service.service_registries)] } == { edge = [1, 0], auth = [0, 1], data = [0, 1] }
      && { for name, service in aws_service_discovery_service.main : name => [for record in service.dns_config[0].dns_records : "${record.type} ${record.ttl}"] } == { auth = ["A 1"], data = ["A 1"] }
    && aws_lb_target_group.edge.health_check[0].path == "/readyz" && aws_lb_target_group.edge.health_check[0].port == "9180")
    error_message = "The load balancer has the edge as its only target, and the edge finds every task of the two others."
  }
  assert {
    condition = { for container in jsondecode(aws_ecs_task_definition.main["data"].container_definitions) :
      container.name => [container.image, container.essential, try(container.mountPoints[0].containerPath, ""), try(container.mountPoints[0].readOnly, true), [for one in container.dependsOn : "${one.containerName} ${one.condition}"]]
      } == {
      certificates = ["registry.example.org/finance-backend:0.1.0", false, "/shared", false, []]
      postgrest    = ["postgrest/postgrest:v16.5", true, "/certificates", true, ["certificates SUCCESS"]]
    }
    error_message = "PostgREST starts when a container of our image has copied the certificates into the volume."
  }
  assert {
    condition = { for name, task in aws_ecs_task_definition.main : name => [for container in jsondecode(task.container_definitions) : container.healthCheck.command[1] if container.healthCheck != null] } == {
      edge = ["node"], auth = ["node"], data = ["/bin/postgrest"], migrate = []
    }
    error_message = "ECS asks each service for its health."
  }
  assert {
    condition     = aws_ecs_task_definition.main["data"].memory == "2048"
    error_message = "PostgREST has the memory that two of the largest bodies need."
  }
  assert {
    condition     = alltrue([for service in aws_ecs_service.main : service.deployment_circuit_breaker[0].rollback && service.desired_count >= 2])
    error_message = "A version that does not become healthy is rolled back, and one task may fail."
  }
  assert {
    condition = (aws_lb_listener.http.default_action[0].redirect[0].protocol == "HTTPS" && aws_lb_listener.https.default_action[0].type == "fixed-response"
      && try(!aws_lb_target_group.edge.stickiness[0].enabled, true)
    && [for condition in aws_lb_listener_rule.edge.condition : condition.host_header[0].values] == [toset(["money.example.org"])])
    error_message = "Plain HTTP is redirected, every path of the host is the edge's, at any task, and another host is not found."
  }
  assert {
    condition     = aws_lb_listener.https.routing_http_response_strict_transport_security_header_value == "max-age=63072000"
    error_message = "A browser that was here once comes by TLS alone."
  }
  assert {
    condition     = !strcontains(jsonencode([for task in aws_ecs_task_definition.main : task.container_definitions]), "OTEL_") && length(aws_vpc_security_group_egress_rule.tracing) == 0
    error_message = "Nothing is traced unless somebody asks for it."
  }
  assert {
    condition     = jsondecode(aws_ecs_task_definition.main["auth"].container_definitions)[0].command == ["node", "--max-old-space-size=${aws_ecs_task_definition.main["auth"].memory / 2}", "auth/main.ts"]
    error_message = "Node's heap is half of what the task has."
  }
  assert {
    condition     = length(aws_cloudwatch_metric_alarm.service) == 8 && length(aws_cloudwatch_metric_alarm.task) == 6 && length(aws_cloudwatch_metric_alarm.database) == 4 && length(aws_cloudwatch_metric_alarm.key_age) == 1
    error_message = "Errors, latency, saturation and the key's age each have their alarm."
  }
  assert {
    condition = (aws_lb.main.access_logs[0].bucket == aws_s3_bucket.logs[0].id && aws_flow_log.main[0].vpc_id == aws_vpc.main[0].id
      && { for rule in aws_s3_bucket_lifecycle_configuration.logs[0].rule : rule.id => rule.expiration[0].days } == { access = 7, flow = 30 }
    && aws_s3_bucket_public_access_block.logs[0].restrict_public_buckets && aws_s3_bucket_public_access_block.logs[0].block_public_policy)
    error_message = "Access and flow are logged, where the public cannot come, and not for long."
  }
  assert {
    condition     = output.public_url == "https://money.example.org" && length(aws_nat_gateway.main) == 2
    error_message = "The address is the host's, and each zone has its own way out."
  }
}

run "another_image_is_a_second_apply_without_a_secret" {
  command = apply
  variables {
    auth_image = "registry.example.org/finance-backend:0.2.0"
  }
  assert {
    condition     = jsondecode(aws_ecs_task_definition.main["auth"].container_definitions)[0].image == "registry.example.org/finance-backend:0.2.0"
    error_message = "The new image must be in the task's definition."
  }
  assert {
    condition     = output.secret_versions == run.everything.secret_versions
    error_message = "No secret may change with an image."
  }
}

run "a_raised_number_makes_that_secret_anew_and_replaces_the_tasks" {
  command = apply
  variables {
    secret_versions = { authenticator_password = 2, better_auth_secret = 2 }
  }
  assert {
    condition     = [for name, task in aws_ecs_task_definition.main : name if strcontains(task.container_definitions, "\"value\":\"1,2,2,1,1\"")] == ["auth", "data", "migrate"]
    error_message = "A new version of a secret must be in the definition of every task that has one, or old tasks would keep the old one."
  }
  assert {
    condition     = [for name, version in output.secret_versions : name if version != run.everything.secret_versions[name]] == ["authenticator_password", "better_auth_secret"]
    error_message = "These are made anew, and no other."
  }
  assert {
    condition     = strcontains(aws_ecs_task_definition.main["auth"].container_definitions, ":::${output.secret_versions["better_auth_secret"]}\"")
    error_message = "A definition names the version of BETTER_AUTH_SECRET it was made with, so that a rollback finds it."
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
    error_message = "Nothing of a network is made when there is one."
  }
  assert {
    condition     = length(terraform_data.migration) == 1
    error_message = "The migration runs on apply."
  }
}

run "smtp_and_no_certificates" {
  command = apply
  variables {
    mail             = { from = "money@example.org", provider = "smtp", secret_arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:finance-mail-GhIjKl" }
    database_ca_file = null
    settings         = { KEY_ROTATION_DAYS = "0" }
  }
  assert {
    condition     = strcontains(aws_ecs_task_definition.main["auth"].container_definitions, "SMTP_URL") && length(aws_vpc_security_group_egress_rule.smtp) == 2
    error_message = "The auth service gets the URL, and may speak to the mail server."
  }
  assert {
    condition     = strcontains(aws_ecs_task_definition.main["auth"].container_definitions, "sslmode=no-verify") && length(jsondecode(aws_ecs_task_definition.main["data"].container_definitions)) == 1
    error_message = "Without certificates the connection is encrypted only, and nothing is copied."
  }
  assert {
    condition     = length(aws_cloudwatch_metric_alarm.key_age) == 0
    error_message = "A key that is only rotated by hand has no age to warn of."
  }
}

run "a_database_and_a_secret_of_before_are_taken" {
  command = apply
  variables {
    better_auth_secret_arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:finance/better_auth_secret-XyZ123"
    restore                = { identifier = "finance-2", source = "finance" }
  }
  assert {
    condition     = aws_db_instance.main.identifier == "finance-2" && aws_cloudwatch_metric_alarm.database["storage"].dimensions.DBInstanceIdentifier == "finance-2"
    error_message = "The restored server is what is watched."
  }
  assert {
    condition = (keys(output.secret_versions) == ["auth_service_password", "authenticator_password"]
    && strcontains(aws_ecs_task_definition.main["auth"].container_definitions, "secret:finance/better_auth_secret-XyZ123\""))
    error_message = "With a secret at hand none is made."
  }
}

run "an_outage_rings" {
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
    error_message = "A service without a task reports nothing, and nothing must ring."
  }
  assert {
    condition     = aws_cloudwatch_metric_alarm.load_balancer.metric_name == "HTTPCode_ELB_5XX_Count"
    error_message = "What the load balancer answers for an edge that does not is counted."
  }
  assert {
    condition = alltrue([for alarm in concat(values(aws_cloudwatch_metric_alarm.service), values(aws_cloudwatch_metric_alarm.task), values(aws_cloudwatch_metric_alarm.database),
      values(aws_cloudwatch_metric_alarm.event), aws_cloudwatch_metric_alarm.key_age, [aws_cloudwatch_metric_alarm.load_balancer]) :
    alarm.alarm_actions == toset(["arn:aws:sns:eu-central-1:123456789012:ours", aws_sns_topic.alarms[0].arn])])
    error_message = "Every alarm tells whom notify and alarm_actions name."
  }
  assert {
    condition = ({ for target, subscription in aws_sns_topic_subscription.alarms : target => subscription.protocol } == { "on-call@example.org" = "email", "https://pager.example.org/hook" = "https" }
    && aws_route53_health_check.outside[0].resource_path == "/healthz" && length(aws_sns_topic_subscription.outside) == 2 && length(aws_db_event_subscription.main) == 1)
    error_message = "Those to notify hear of what is seen from outside and of the database's own events too."
  }
}

run "a_zone_has_the_certificate_and_the_name" {
  command = apply
  variables {
    certificate_arn = null
    zone_id         = "Z0123456789ABC"
  }
  assert {
    condition     = aws_lb_listener.https.certificate_arn == aws_acm_certificate_validation.main[0].certificate_arn && aws_route53_record.main[0].name == "money.example.org"
    error_message = "The load balancer has the certificate that was made, and the name points to it."
  }
}

run "own_keys_copies_and_repositories" {
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
    error_message = "Whatever can be encrypted with a key of yours is."
  }
  assert {
    condition = (aws_db_instance_automated_backups_replication.main[0].kms_key_id == "arn:aws:kms:eu-west-1:123456789012:key/2"
    && [for name, secret in aws_secretsmanager_secret.main : one(secret.replica).region if length(secret.replica) > 0] == ["eu-west-1"])
    error_message = "The other region gets the backups and the secret that opens the signing keys."
  }
  assert {
    condition     = alltrue([for task in aws_ecs_task_definition.main : task.runtime_platform[0].cpu_architecture == "ARM64"]) && length(aws_ecr_repository.main) == 1 && length(aws_wafv2_web_acl_association.main) == 1
    error_message = "The platform is named, and what is optional is there."
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

run "spans_go_to_the_collector_and_to_nobody_else" {
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
    error_message = "The auth service and the edge send spans, and the fields they send along are a secret."
  }
  assert {
    condition     = { for name, rule in aws_vpc_security_group_egress_rule.tracing : name => [rule.cidr_ipv4, rule.from_port, rule.to_port] } == { auth = ["10.0.0.0/16", 4318, 4318], edge = ["10.0.0.0/16", 4318, 4318] }
    error_message = "Both may speak to the collector, at its port."
  }
  assert {
    condition     = strcontains(aws_ecs_task_definition.main["auth"].container_definitions, "--max-old-space-size=1024")
    error_message = "Node's heap follows from what the task has."
  }
}

run "without_access_and_flow_logs_there_is_no_bucket" {
  command = plan
  variables {
    access_log_days = 0
    flow_log_days   = 0
  }
  assert {
    condition     = length(aws_s3_bucket.logs) + length(aws_flow_log.main) + length(aws_lb.main.access_logs) == 0
    error_message = "What is switched off leaves nothing behind."
  }
}

run "the_edge_scales_beyond_eight_tasks_and_what_it_finds_by_dns_does_not" {
  command = plan
  variables {
    tasks = { for name, maximum in { edge = 16, auth = 8, data = 9 } : name => { cpu = 256, memory = 512, minimum = 2, maximum = maximum } }
  }
  expect_failures = [var.tasks]
}

# Each of these variables is wrong in one way, and each must be refused; in one run, because a run costs some seconds.
run "refuses_what_could_not_run" {
  command = plan
  variables {
    region          = "mx-central-1" # the image has no certificate of it
    host_name       = "https://money.example.org"
    certificate_arn = null
    auth_image      = "registry.example.org/finance-backend:latest"
    postgrest_image = "postgrest/postgrest:v16.2"
    # a single task
    tasks    = { auth = { cpu = 256, memory = 512, minimum = 1, maximum = 1 }, data = { cpu = 256, memory = 512, minimum = 2, maximum = 2 } }
    database = { version = "14", backup_days = 1 }
    mail     = { from = "money@example.org", provider = "carrier-pigeon", secret_arn = "re_the_key_itself" }
    settings = { BETTER_AUTH_SECRET = "not here" }
    # in one zone
    network          = { vpc_id = "vpc-1", public_subnet_ids = ["subnet-1"], private_subnet_ids = ["subnet-3", "subnet-4"] }
    copies           = { region = "mx-central-1", kms_key_arn = "arn:aws:kms:mx-central-1:123456789012:key/1" }
    restore          = { identifier = "finance-2" }
    notify           = ["http://example.org/hook"]
    cpu_architecture = "386"

    data_jwt_cache_entries = -1
    tracing                = { endpoint = "https://ann:secret@collector.example.org" }
    better_auth_secret_arn = "the secret itself, which would be in the state"
    secret_arns            = { OIDC_CLIENT_SECRET = "the secret itself, which would be in the state" }
  }
  expect_failures = [
    var.database_ca_file, var.host_name, var.certificate_arn, var.auth_image, var.postgrest_image, var.tasks, var.database, var.mail,
    var.settings, var.network, var.copies, var.data_jwt_cache_entries, var.restore, var.notify, var.cpu_architecture, var.tracing, var.better_auth_secret_arn, var.secret_arns,
  ]
}
