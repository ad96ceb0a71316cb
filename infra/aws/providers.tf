# The AWS providers: the main one, and one each for the secrets, for us-east-1 and for the region of the copies.

locals {
  tags = { Project = var.name }
}

provider "aws" {
  region = var.region

  default_tags {
    tags = local.tags
  }
}

# A separate provider for the secrets. Terraform's tests cannot mock ephemeral values, so they run this provider against a local replacement
# of Secrets Manager (tests/aws/secrets-manager.ts).
provider "aws" {
  alias  = "secrets"
  region = var.region

  default_tags {
    tags = local.tags
  }
}

# Route 53 reports the metrics of its health checks only to this region.
provider "aws" {
  alias  = "outside"
  region = "us-east-1"

  default_tags {
    tags = local.tags
  }
}

# The region of the replicated backups.
provider "aws" {
  alias  = "copies"
  region = var.copies == null ? var.region : var.copies.region

  default_tags {
    tags = local.tags
  }
}
