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
  description = "The one host name people use; its DNS record points to the output load_balancer."
  type        = string

  validation {
    condition     = can(regex("^([a-z0-9-]+\\.)+[a-z]{2,}$", var.host_name))
    error_message = "host_name must be a host name such as money.example.org, without https:// and without a path."
  }
}

variable "certificate_arn" {
  description = "ACM certificate for host_name, in this region."
  type        = string

  validation {
    condition     = can(regex("^arn:aws[a-z-]*:acm:[a-z0-9-]+:[0-9]{12}:certificate/.+$", var.certificate_arn))
    error_message = "certificate_arn must be the ARN of an ACM certificate."
  }
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
  description = "Image of the auth service and the migration, built with infra/docker/Dockerfile, target auth. A version, never latest."
  type        = string

  validation {
    condition     = can(regex("(:[A-Za-z0-9_.-]+|@sha256:[0-9a-f]{64})$", var.auth_image)) && !endswith(var.auth_image, ":latest")
    error_message = "auth_image must name a version or a digest, and not latest: a rollback needs to know what ran."
  }
}

variable "proxy_image" {
  description = "Image of the proxy beside PostgREST, built with infra/docker/Dockerfile, target proxy. A version, never latest."
  type        = string

  validation {
    condition     = can(regex("(:[A-Za-z0-9_.-]+|@sha256:[0-9a-f]{64})$", var.proxy_image)) && !endswith(var.proxy_image, ":latest")
    error_message = "proxy_image must name a version or a digest, and not latest: a rollback needs to know what ran."
  }
}

variable "postgrest_image" {
  description = "PostgREST of the 12 line; the default is the version the suite runs."
  type        = string
  default     = "postgrest/postgrest:v12.0.2"

  validation {
    condition     = can(regex(":v12\\.", var.postgrest_image))
    error_message = "postgrest_image must be of the 12 line: 13 answers an expired token with another code than the interface promises."
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
    auth = { cpu = 512, memory = 1024, minimum = 2, maximum = 6 }
    # two of the largest bodies at once took 1,074 MiB of PostgREST: docs/decisions/infrastructure.md
    data = { cpu = 256, memory = 2048, minimum = 2, maximum = 6 }
  }

  validation {
    condition     = toset(keys(var.tasks)) == toset(["auth", "data"])
    error_message = "tasks must have the entries auth and data, and no others."
  }
  validation {
    condition     = alltrue([for size in values(var.tasks) : size.minimum >= 2 && size.maximum >= size.minimum])
    error_message = "tasks: minimum must be 2 or more, so that one task may fail, and maximum no less than minimum."
  }
}

variable "data_pool" {
  description = "Database connections of each PostgREST task; the migration divides them into the callers' shares."
  type        = number
  default     = 12
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

variable "database_ca_file" {
  description = "Path, in the auth and the PostgREST image, of the certificates to verify the database with. Null encrypts without verifying; RDS refuses connections that are not encrypted."
  type        = string
  default     = null
}

variable "mail" {
  description = "The sender of every mail, and how it is sent: resend or smtp; mail_secret holds the key or the URL."
  type = object({
    from     = string
    provider = string
  })

  validation {
    condition     = contains(["resend", "smtp"], var.mail.provider) && strcontains(var.mail.from, "@")
    error_message = "mail needs a sender such as Money <money@example.org>, and resend or smtp as its provider."
  }
}

variable "settings" {
  description = "Further variables of the auth service that are no secrets, such as DEFAULT_PRODUCT, TRUSTED_ORIGINS, COOKIE_DOMAIN, KEY_ROTATION_DAYS or LOG_LEVEL."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for name in keys(var.settings) : contains(["DEFAULT_PRODUCT", "TRUSTED_ORIGINS", "COOKIE_DOMAIN", "KEY_ROTATION_DAYS", "LOG_LEVEL"], name)])
    error_message = "settings may hold DEFAULT_PRODUCT, TRUSTED_ORIGINS, COOKIE_DOMAIN, KEY_ROTATION_DAYS and LOG_LEVEL; everything else is made here or is a secret."
  }
}

variable "better_auth_secret" {
  description = "BETTER_AUTH_SECRET, 32 characters or more. Needed by the apply that first writes it or changes its version; kept in Secrets Manager alone."
  type        = string
  default     = null
  ephemeral   = true
  sensitive   = true

  validation {
    condition     = var.better_auth_secret == null ? true : length(var.better_auth_secret) >= 32
    error_message = "better_auth_secret must have at least 32 characters."
  }
}

variable "auth_service_password" {
  description = "Password of the database login auth_service. As better_auth_secret."
  type        = string
  default     = null
  ephemeral   = true
  sensitive   = true
}

variable "authenticator_password" {
  description = "Password of the database login authenticator. As better_auth_secret."
  type        = string
  default     = null
  ephemeral   = true
  sensitive   = true

  validation {
    condition     = var.authenticator_password == null ? true : length(var.authenticator_password) >= 8
    error_message = "authenticator_password must have at least 8 characters."
  }
}

variable "mail_secret" {
  description = "Resend's API key, or the SMTP URL. As better_auth_secret."
  type        = string
  default     = null
  ephemeral   = true
  sensitive   = true
}

variable "secret_versions" {
  description = "Raise a number to write that secret anew; the services are replaced."
  type = object({
    better_auth_secret     = optional(number, 1)
    auth_service_password  = optional(number, 1)
    authenticator_password = optional(number, 1)
    mail_secret            = optional(number, 1)
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

variable "alarm_actions" {
  description = "ARNs told of every alarm and its end, such as an SNS topic."
  type        = list(string)
  default     = []
}

variable "load_balancer_protected" {
  description = "Refuse to delete the load balancer."
  type        = bool
  default     = true
}
