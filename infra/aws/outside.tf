# Route 53 requests /healthz from many places, as a client does. It therefore also detects an outage of the load balancer, the DNS name, the
# certificate or the region. Its metric exists only in us-east-1, so the alarm and its topic are there.
locals {
  outside         = var.outside_check && length(var.notify) > 0 ? 1 : 0
  outside_targets = local.outside == 1 ? local.protocols : {}
}

resource "aws_route53_health_check" "outside" {
  count             = local.outside
  type              = "HTTPS"
  fqdn              = var.host_name
  port              = 443
  resource_path     = "/healthz"
  request_interval  = 30
  failure_threshold = 3
  enable_sni        = true
  tags              = { Name = var.name }
}

resource "aws_sns_topic" "outside" {
  provider = aws.outside
  count    = local.outside
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

# The topic needs no policy, because the default one allows alarms of the same account.
resource "aws_cloudwatch_metric_alarm" "outside" {
  provider            = aws.outside
  count               = local.outside
  alarm_name          = "${var.name}-outside"
  alarm_description   = "A surface does not respond to requests from the internet."
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
  dimensions          = { HealthCheckId = aws_route53_health_check.outside[0].id }
}
