terraform {
  # 1.11 has the write-only arguments and ephemeral resources that keep secrets out of plans and state
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source = "hashicorp/aws"
      # The root module decides on the release: example/main.tf takes 6.
      version = ">= 5.100, < 7.0"
      configuration_aliases = [
        # A separate provider for the secrets. Terraform's tests cannot mock ephemeral values, so they run this provider against a local
        # replacement of Secrets Manager (tests/aws/secrets-manager.ts).
        aws.secrets,
        # us-east-1: Route 53 reports the metrics of its health checks only to this region
        aws.outside,
        # the region of the replicated backups
        aws.copies,
      ]
    }
  }
}
