terraform {
  # write-only arguments and ephemeral resources, which keep secrets out of plans and state, came with 1.11
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.100"
    }
  }
}
