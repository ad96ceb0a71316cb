# An example root module. Copy this folder, and write your own values. docs/aws.md explains the steps.

terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.0"
    }
  }
}

locals {
  region = "eu-central-1"
  tags   = { Project = "finance" }
}

provider "aws" {
  region = local.region
  default_tags { tags = local.tags }
}

# Route 53 reports the metrics of its health checks only to this region.
provider "aws" {
  alias  = "us_east_1"
  region = "us-east-1"
  default_tags { tags = local.tags }
}

module "finance" {
  source = "../" # git::https://<your copy of the repository>.git//infra/aws?ref=v<version>
  providers = {
    aws         = aws
    aws.secrets = aws
    aws.outside = aws.us_east_1
    aws.copies  = aws # with copies: a provider of that region
  }

  region     = local.region
  host_name  = "money.example.org"
  zone_id    = "Z0123456789ABC" # makes record and certificate; or certificate_arn, and the record is yours
  mail       = { from = "Money <money@example.org>", provider = "resend", secret_arn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:finance-mail-AbCdEf" }
  notify     = ["on-call@example.org"] # email addresses and https:// endpoints
  auth_image = "registry.example.org/finance-backend:0.2.0"
}

output "finance" {
  description = "The outputs of the module: addresses, repositories, log groups."
  value       = module.finance
}

output "task" {
  description = "The environment of infra/aws/task, migrate, admin and drill."
  value       = module.finance.task
}
