# The plan against a provider that invents what AWS would answer: nothing is made, no account is needed. What is asserted
# is what must not change unnoticed.

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
  mock_resource "aws_lb_listener" {
    defaults = { arn = "arn:aws:elasticloadbalancing:eu-central-1:123456789012:listener/app/finance/50dc6c495c0c9188/50dc6c495c0c9188" }
  }
  mock_resource "aws_iam_role" {
    defaults = { arn = "arn:aws:iam::123456789012:role/finance" }
  }
  mock_resource "aws_secretsmanager_secret" {
    defaults = { arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:finance-AbCdEf" }
  }
  mock_resource "aws_cloudwatch_log_group" {
    defaults = { arn = "arn:aws:logs:eu-central-1:123456789012:log-group:finance" }
  }
  mock_resource "aws_ecs_task_definition" {
    defaults = { arn = "arn:aws:ecs:eu-central-1:123456789012:task-definition/finance:1" }
  }
  mock_resource "aws_db_instance" {
    defaults = {
      address            = "finance.cluster.eu-central-1.rds.amazonaws.com"
      master_user_secret = [{ secret_arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:rds!db-AbCdEf", kms_key_id = "", secret_status = "active" }]
    }
  }
}

variables {
  region                 = "eu-central-1"
  host_name              = "money.example.org"
  certificate_arn        = "arn:aws:acm:eu-central-1:123456789012:certificate/12345678-1234-1234-1234-123456789012"
  auth_image             = "registry.example.org/finance-backend:0.1.0"
  proxy_image            = "registry.example.org/finance-proxy:0.1.0"
  mail                   = { from = "Money <money@example.org>", provider = "resend" }
  better_auth_secret     = "a secret of the tests, long enough to pass"
  auth_service_password  = "p@ss:w/ord of auth_service"
  authenticator_password = "p@ss:w/ord of authenticator"
  mail_secret            = "re_the_key_of_the_tests"
  migrate_on_apply       = false
}

run "everything" {
  command = apply

  assert {
    condition     = toset([for rule in aws_vpc_security_group_ingress_rule.public : rule.security_group_id]) == toset([aws_security_group.main["load-balancer"].id])
    error_message = "Only the load balancer may be reached from anywhere."
  }
  assert {
    condition = alltrue(concat(
      [for rule in aws_vpc_security_group_ingress_rule.service : rule.cidr_ipv4 == null && rule.referenced_security_group_id == aws_security_group.main["load-balancer"].id],
      [for rule in aws_vpc_security_group_ingress_rule.database : rule.cidr_ipv4 == null && rule.to_port == 5432],
    ))
    error_message = "Services are reached from the load balancer alone, the database from the tasks alone."
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
      container.user == "1000" && container.readonlyRootFilesystem && container.linuxParameters.capabilities.drop == ["ALL"]
    ]]))
    error_message = "Every container runs as non-root, on a read-only image, without a capability."
  }
  assert {
    condition     = alltrue([for task in aws_ecs_task_definition.main : task.task_role_arn == null])
    error_message = "No container may do anything in AWS."
  }
  assert {
    condition = { for name, task in aws_ecs_task_definition.main : name => sort(flatten([for container in jsondecode(task.container_definitions) : [for secret in container.secrets : secret.name]])) } == {
      auth = tolist(["BETTER_AUTH_SECRET", "PGPASSWORD", "RESEND_API_KEY"]), data = tolist(["PGPASSWORD"]), migrate = tolist(["AUTHENTICATOR_PASSWORD", "AUTH_SERVICE_PASSWORD", "PGPASSWORD"])
    }
    error_message = "Each task gets its own secrets and no other's."
  }
  assert {
    condition = alltrue(flatten([for task in aws_ecs_task_definition.main : [for word in ["p@ss:w/ord", "a secret of the tests", "re_the_key"] :
      !strcontains(task.container_definitions, word)
    ]]))
    error_message = "No secret may be in a task definition."
  }
  assert {
    condition = alltrue([for version in [
      aws_secretsmanager_secret_version.better_auth_secret, aws_secretsmanager_secret_version.auth_service_password,
      aws_secretsmanager_secret_version.authenticator_password, aws_secretsmanager_secret_version.mail_secret,
    ] : version.secret_string_wo == null && version.secret_string == null])
    error_message = "No secret may be in the state."
  }
  assert {
    condition = alltrue([for name, value in {
      PGRST_DB_SCHEMAS = "api", PGRST_DB_ANON_ROLE = "anon", PGRST_DB_PRE_CONFIG = "private.pre_config", PGRST_DB_PRE_REQUEST = "private.pre_request"
      PGRST_DB_URI     = "postgresql://", PGRST_DB_MAX_ROWS = "10000", PGRST_DB_TX_END = "commit-allow-override", PGSSLMODE = "require", PGRST_DB_POOL = "12", GHCRTS = "-N1"
      } : contains(one([for container in jsondecode(aws_ecs_task_definition.main["data"].container_definitions) : container.environment if container.name == "postgrest"]),
    { name = name, value = value })])
    error_message = "PostgREST runs as postgrest.conf says."
  }
  assert {
    condition = contains(jsondecode(aws_ecs_task_definition.main["migrate"].container_definitions)[0].environment,
    { name = "PGRST_DB_POOL", value = "12" })
    error_message = "The migration divides the connections that PostgREST has."
  }
  assert {
    condition = contains(jsondecode(aws_ecs_task_definition.main["auth"].container_definitions)[0].environment,
    { name = "TRUSTED_PROXIES", value = "10.0.0.0/24,10.0.1.0/24" })
    error_message = "The auth service believes the load balancer's subnets, and nobody else, about a client's address."
  }
  assert {
    condition = (aws_ecs_task_definition.main["data"].memory == "2048" && alltrue([for name, value in {
      POSTGREST_UPSTREAM = "127.0.0.1:3000", POSTGREST_HEAVY_UPSTREAM = "localhost:3000", TRUSTED_PROXIES = "10.0.0.0/24 10.0.1.0/24", DATA_BODY_LIMIT = "2097152"
      } : contains(one([for container in jsondecode(aws_ecs_task_definition.main["data"].container_definitions) : container.environment if container.name == "proxy"]),
    { name = name, value = value })]))
    error_message = "PostgREST has the memory that two of the largest bodies need, and the proxy lets in no more."
  }
  assert {
    condition     = alltrue([for service in aws_ecs_service.main : service.deployment_circuit_breaker[0].rollback && service.desired_count >= 2])
    error_message = "A version that does not become healthy is rolled back, and one task may fail."
  }
  assert {
    condition = (aws_lb_listener.http.default_action[0].redirect[0].protocol == "HTTPS" && aws_lb_listener.https.default_action[0].type == "fixed-response"
    && alltrue([for rule in aws_lb_listener_rule.service : anytrue([for condition in rule.condition : try(contains(condition.host_header[0].values, "money.example.org"), false)])]))
    error_message = "Plain HTTP is redirected, and what is neither surface of this host is not found."
  }
  assert {
    condition     = length(aws_cloudwatch_metric_alarm.service) == 6 && length(aws_cloudwatch_metric_alarm.task) == 4 && length(aws_cloudwatch_metric_alarm.database) == 4 && length(aws_cloudwatch_metric_alarm.key_age) == 1
    error_message = "Errors, latency, saturation and the key's age each have their alarm."
  }
  assert {
    condition     = output.public_url == "https://money.example.org" && length(aws_nat_gateway.main) == 2
    error_message = "The address is the host's, and each zone has its own way out."
  }
}

run "a_change_of_a_secret_replaces_the_tasks" {
  command = apply
  variables {
    secret_versions = { authenticator_password = 2 }
  }
  assert {
    condition     = alltrue([for task in aws_ecs_task_definition.main : strcontains(task.container_definitions, "\"value\":\"1,2,1,1\"")])
    error_message = "A new version of a secret must be in every task's definition, or old tasks would keep the old one."
  }
}

run "the_migration_stands_before_the_services" {
  command = plan
  variables {
    migrate_on_apply = true
  }
  assert {
    condition     = length(terraform_data.migration) == 1
    error_message = "The migration runs on apply."
  }
}

run "an_existing_network_is_used" {
  command = plan
  variables {
    network = { vpc_id = "vpc-1", public_subnet_ids = ["subnet-1", "subnet-2"], private_subnet_ids = ["subnet-3", "subnet-4"] }
  }
  assert {
    condition = (length(aws_vpc.main) + length(aws_subnet.public) + length(aws_nat_gateway.main) == 0 && aws_security_group.main["database"].vpc_id == "vpc-1"
    && toset(aws_ecs_service.main["auth"].network_configuration[0].subnets) == toset(["subnet-3", "subnet-4"]))
    error_message = "Nothing of a network is made when there is one."
  }
}

run "smtp_and_certificates" {
  command = apply
  variables {
    mail             = { from = "money@example.org", provider = "smtp" }
    database_ca_file = "/etc/ssl/rds.pem"
    settings         = { KEY_ROTATION_DAYS = "0" }
  }
  assert {
    condition     = strcontains(aws_ecs_task_definition.main["auth"].container_definitions, "SMTP_URL") && length(aws_vpc_security_group_egress_rule.smtp) == 2
    error_message = "The auth service gets the URL, and may speak to the mail server."
  }
  assert {
    condition     = strcontains(aws_ecs_task_definition.main["auth"].container_definitions, "sslmode=verify-full") && strcontains(aws_ecs_task_definition.main["data"].container_definitions, "verify-full")
    error_message = "With certificates at hand the database is verified."
  }
  assert {
    condition     = length(aws_cloudwatch_metric_alarm.key_age) == 0
    error_message = "A key that is only rotated by hand has no age to warn of."
  }
}

run "refuses_a_url_as_host_name" {
  command = plan
  variables {
    host_name = "https://money.example.org"
  }
  expect_failures = [var.host_name]
}

run "refuses_images_without_a_version" {
  command = plan
  variables {
    auth_image  = "registry.example.org/finance-backend:latest"
    proxy_image = "registry.example.org/finance-proxy"
  }
  expect_failures = [var.auth_image, var.proxy_image]
}

run "refuses_another_line_of_postgrest" {
  command = plan
  variables {
    postgrest_image = "postgrest/postgrest:v13.0.0"
  }
  expect_failures = [var.postgrest_image]
}

run "refuses_a_single_task" {
  command = plan
  variables {
    tasks = { auth = { cpu = 256, memory = 512, minimum = 1, maximum = 1 }, data = { cpu = 256, memory = 512, minimum = 2, maximum = 2 } }
  }
  expect_failures = [var.tasks]
}

run "refuses_an_old_server_and_too_few_backups" {
  command = plan
  variables {
    database = { version = "14", backup_days = 1 }
  }
  expect_failures = [var.database]
}

run "refuses_weak_secrets" {
  command = plan
  variables {
    better_auth_secret     = "short"
    authenticator_password = "short"
  }
  expect_failures = [var.better_auth_secret, var.authenticator_password]
}

run "refuses_mail_without_a_provider" {
  command = plan
  variables {
    mail = { from = "money@example.org", provider = "carrier-pigeon" }
  }
  expect_failures = [var.mail]
}

run "refuses_a_secret_among_the_settings" {
  command = plan
  variables {
    settings = { BETTER_AUTH_SECRET = "not here" }
  }
  expect_failures = [var.settings]
}

run "refuses_a_network_in_one_zone" {
  command = plan
  variables {
    network = { vpc_id = "vpc-1", public_subnet_ids = ["subnet-1"], private_subnet_ids = ["subnet-3", "subnet-4"] }
  }
  expect_failures = [var.network]
}
