# The load balancer forwards every request for the host name to the edge. The edge finds auth and data (PostgREST) by private DNS names.
# docs/aws.md explains how to apply this plan.

locals {
  public_url = "https://${var.host_name}"

  # postgrest.conf configures PostgREST everywhere. Here PostgREST reads its settings from environment variables.
  postgrest_settings = {
    for setting in regexall("(?m)^([a-z-]+) = \"?(.*?)\"?$", file("${path.module}/../../postgrest.conf")) :
    "PGRST_${upper(replace(setting[0], "-", "_"))}" => setting[1]
  }
}

data "aws_region" "main" {
  lifecycle {
    postcondition {
      condition     = self.id == var.region
      error_message = "region must be the region of the provider aws."
    }
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

resource "aws_service_discovery_private_dns_namespace" "main" {
  name = "${var.name}.internal"
  vpc  = local.vpc_id
}

resource "aws_service_discovery_service" "main" {
  for_each = local.upstreams
  name     = each.key

  # The edge resolves the name every second. A DNS response contains at most eight tasks.
  dns_config {
    namespace_id   = aws_service_discovery_private_dns_namespace.main.id
    routing_policy = "MULTIVALUE"
    dns_records {
      type = "A"
      ttl  = 1
    }
  }
  # ECS reports the health check of each task's container.
  health_check_custom_config {
    failure_threshold = 1
  }
}
