terraform {
  # 1.11 has the write-only arguments and ephemeral resources that keep secrets out of plans and state
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.100"
    }
  }
}
