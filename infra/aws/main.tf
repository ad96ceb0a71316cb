# One host name over two services: auth and data (PostgREST with a proxy beside it, which takes the path's prefix off,
# because a load balancer cannot). Each file holds one concern; docs/aws.md says how to run it.

locals {
  public_url = "https://${var.host_name}"

  # What differs between the two services; everything else is written once, for both.
  services = {
    auth = {
      paths         = ["/api/auth/*", "/docs", "/docs/*"]
      container     = "auth"
      port          = 3000
      health_path   = "/readyz"
      listener_rank = 10
    }
    data = {
      paths         = ["/data", "/data/*", "/rest/v1", "/rest/v1/*"]
      container     = "proxy"
      port          = 8080
      health_path   = "/ready"
      listener_rank = 20
    }
  }

  # postgrest.conf is the one place for how PostgREST runs; its image reads the same settings from the environment.
  postgrest_settings = {
    for setting in regexall("(?m)^([a-z-]+) = \"?(.*?)\"?$", file("${path.module}/../../postgrest.conf")) :
    "PGRST_${upper(replace(setting[0], "-", "_"))}" => setting[1]
  }
}

resource "aws_ecs_cluster" "main" {
  name       = var.name
  depends_on = [aws_cloudwatch_log_group.made_by_aws]

  setting {
    name  = "containerInsights"
    value = "enabled"
  }
}
