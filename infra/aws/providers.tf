locals {
  tags = { Project = var.name }
}

provider "aws" {
  region = var.region

  default_tags {
    tags = local.tags
  }
}

# The same, for the secrets alone: Terraform's tests cannot mock ephemeral values, so they run this one for real, against
# a Secrets Manager of their own (tests/aws/secrets-manager.ts).
provider "aws" {
  alias  = "secrets"
  region = var.region

  default_tags {
    tags = local.tags
  }
}

# Route 53 reports what its checks see to this region and no other.
provider "aws" {
  alias  = "outside"
  region = "us-east-1"

  default_tags {
    tags = local.tags
  }
}

# Where the copies of the backups go.
provider "aws" {
  alias  = "copies"
  region = var.copies == null ? var.region : var.copies.region

  default_tags {
    tags = local.tags
  }
}
