# Route 53 asks both surfaces from all over the world, as a client would, so that an outage of the load balancer, the name, the
# certificate or the region rings too. It needs somebody to tell, in the one region that hears of it.
locals {
  outside_checks = var.outside_check && length(var.notify) > 0 ? {
    # each needs the database for its answer, and neither a session
    auth = "/api/auth/jwks"
    data = "/data/transactions?select=id&limit=1"
  } : {}
  outside_targets = length(local.outside_checks) > 0 ? local.protocols : {}
}

resource "aws_route53_health_check" "outside" {
  for_each          = local.outside_checks
  type              = "HTTPS"
  fqdn              = var.host_name
  port              = 443
  resource_path     = each.value
  request_interval  = 30
  failure_threshold = 3
  enable_sni        = true
  tags              = { Name = "${var.name}-${each.key}" }
}

resource "aws_sns_topic" "outside" {
  provider = aws.outside
  count    = length(local.outside_targets) > 0 ? 1 : 0
  name     = "${var.name}-alarms-outside"
}

resource "aws_sns_topic_subscription" "outside" {
  provider               = aws.outside
  for_each               = local.outside_targets
  topic_arn              = aws_sns_topic.outside[0].arn
  endpoint               = each.key
  protocol               = each.value
  endpoint_auto_confirms = each.value == "https"
}

# A topic's own policy lets the alarms of its account publish.
resource "aws_cloudwatch_metric_alarm" "outside" {
  provider            = aws.outside
  for_each            = local.outside_checks
  alarm_name          = "${var.name}-${each.key}-outside"
  alarm_description   = "${each.key} does not answer from outside."
  namespace           = "AWS/Route53"
  metric_name         = "HealthCheckStatus"
  statistic           = "Minimum"
  period              = 60
  evaluation_periods  = 2
  comparison_operator = "LessThanThreshold"
  threshold           = 1
  treat_missing_data  = "breaching"
  alarm_actions       = aws_sns_topic.outside[*].arn
  ok_actions          = aws_sns_topic.outside[*].arn
  dimensions          = { HealthCheckId = aws_route53_health_check.outside[each.key].id }
}
