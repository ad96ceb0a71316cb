# Each alarm requires an action, which docs/monitoring.md describes.
locals {
  service_alarms = merge({
    edge-errors = {
      description = "More than 1 in 100 requests fail with a 5xx status.", threshold = 1, periods = 3, service = "edge"
      expression  = "100 * FILL(errors, 0) / requests", metrics = { errors = ["HTTPCode_Target_5XX_Count", "Sum"], requests = ["RequestCount", "Sum"] }
    }
    edge-latency = {
      description = "One request in twenty takes more than a second.", threshold = 1, periods = 3, service = "edge"
      # CloudWatch refuses an expression that consists only of the name of a metric.
      expression = "latency * 1", metrics = { latency = ["TargetResponseTime", "p95"] }
    }
    }, merge([
      # without its readers the primary answers
      for name in setsubtract(keys(local.services), local.readers) : {
        # A service without a task reports nothing, so a missing value is an outage.
        "${name}-down" = {
          description = "No task of ${name} runs: an outage.", threshold = 1, periods = 2, service = name, operator = "LessThanThreshold", missing = "breaching"
          expression  = "running * 1", metrics = { running = ["RunningTaskCount", "Maximum"] }
        }
      }
      ]...), merge([
      for name in keys(local.services) : {
        "${name}-unhealthy" = {
          description = "A task of ${name} is missing or does not respond.", threshold = 0, periods = 5, service = name
          expression  = "desired - running", metrics = { running = ["RunningTaskCount", "Minimum"], desired = ["DesiredTaskCount", "Minimum"] }
        }
      }
  ]...))

  task_alarms = {
    for pair in setproduct(keys(local.services), ["CPUUtilization", "MemoryUtilization"]) :
    "${pair[0]}-${lower(trimsuffix(pair[1], "Utilization"))}" => { service = pair[0], metric = pair[1] }
  }

  database_alarms = {
    cpu         = { metric = "CPUUtilization", operator = "GreaterThanThreshold", threshold = 80, description = "The processors of the database are busy more than 80 % of the time." }
    storage     = { metric = "FreeStorageSpace", operator = "LessThanThreshold", threshold = 5 * pow(1024, 3), description = "The database has less than 5 GiB of storage left, and autoscaling has not added any." }
    memory      = { metric = "FreeableMemory", operator = "LessThanThreshold", threshold = 256 * pow(1024, 2), description = "The database has less than 256 MiB of memory left." }
    connections = { metric = "DatabaseConnections", operator = "GreaterThanThreshold", threshold = local.connections_at_most, description = "More connections than all tasks together should ever hold." }
  }
  # each task of auth and realtime has two pools of ten connections, each PostgREST its pool and a listener; five are for the migration
  connections_at_most = 20 * (var.tasks["auth"].maximum + (local.has_realtime ? var.tasks["realtime"].maximum : 0)) + (var.data_pool + 1) * local.postgrest_at_most + 5

  log_alarms = {
    "signing-key-stuck" = { group = "auth", pattern = "{ $.msg = \"PostgREST has not loaded the new signing key*\" || $.msg = \"key rotation failed*\" }", description = "The signing key cannot be rotated." }
    "mail-given-up"     = { group = "auth", pattern = "{ $.msg = \"gave up on a job of the mail queue\" }", description = "A mail was never sent." }
  }
}

resource "aws_cloudwatch_metric_alarm" "service" {
  for_each            = local.service_alarms
  alarm_name          = "${var.name}-${each.key}"
  alarm_description   = each.value.description
  comparison_operator = lookup(each.value, "operator", "GreaterThanThreshold")
  threshold           = each.value.threshold
  evaluation_periods  = each.value.periods
  treat_missing_data  = lookup(each.value, "missing", "notBreaching")
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions

  metric_query {
    id          = "value"
    expression  = each.value.expression
    label       = each.key
    return_data = true
  }
  dynamic "metric_query" {
    for_each = each.value.metrics
    content {
      id = metric_query.key
      metric {
        namespace   = endswith(metric_query.value[0], "TaskCount") ? "ECS/ContainerInsights" : "AWS/ApplicationELB"
        metric_name = metric_query.value[0]
        stat        = metric_query.value[1]
        period      = 60
        dimensions = (endswith(metric_query.value[0], "TaskCount")
          ? { ClusterName = aws_ecs_cluster.main.name, ServiceName = aws_ecs_service.main[each.value.service].name }
        : { LoadBalancer = aws_lb.main.arn_suffix, TargetGroup = aws_lb_target_group.edge.arn_suffix })
      }
    }
  }
}

# The load balancer's own 502, 503 and 504 have a separate metric. They mean that the edge does not respond.
resource "aws_cloudwatch_metric_alarm" "load_balancer" {
  alarm_name          = "${var.name}-load-balancer-errors"
  alarm_description   = "The load balancer responds with its own errors, because the edge does not respond."
  namespace           = "AWS/ApplicationELB"
  metric_name         = "HTTPCode_ELB_5XX_Count"
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 3
  datapoints_to_alarm = 2
  comparison_operator = "GreaterThanThreshold"
  threshold           = 5
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
  dimensions          = { LoadBalancer = aws_lb.main.arn_suffix }
}

resource "aws_cloudwatch_metric_alarm" "task" {
  for_each            = local.task_alarms
  alarm_name          = "${var.name}-${each.key}"
  alarm_description   = "${each.value.service} is overloaded although it has scaled out: raise its maximum, or the size of a task."
  namespace           = "AWS/ECS"
  metric_name         = each.value.metric
  statistic           = "Average"
  period              = 60
  evaluation_periods  = 10
  comparison_operator = "GreaterThanThreshold"
  threshold           = 85
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
  dimensions          = { ClusterName = aws_ecs_cluster.main.name, ServiceName = aws_ecs_service.main[each.value.service].name }
}

resource "aws_cloudwatch_metric_alarm" "database" {
  for_each            = local.database_alarms
  alarm_name          = "${var.name}-database-${each.key}"
  alarm_description   = each.value.description
  namespace           = "AWS/RDS"
  metric_name         = each.value.metric
  statistic           = "Average"
  period              = 300
  evaluation_periods  = 3
  comparison_operator = each.value.operator
  threshold           = each.value.threshold
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
  dimensions          = { DBInstanceIdentifier = aws_db_instance.main.identifier }
}

resource "aws_cloudwatch_log_metric_filter" "event" {
  for_each       = local.log_alarms
  name           = "${var.name}-${each.key}"
  log_group_name = aws_cloudwatch_log_group.main[each.value.group].name
  pattern        = each.value.pattern

  metric_transformation {
    namespace = var.name
    name      = each.key
    value     = "1"
  }
}

resource "aws_cloudwatch_metric_alarm" "event" {
  for_each            = local.log_alarms
  alarm_name          = "${var.name}-${each.key}"
  alarm_description   = each.value.description
  namespace           = var.name
  metric_name         = each.key
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  comparison_operator = "GreaterThanThreshold"
  threshold           = 0
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
}

# The auth service logs the age of the signing key every ten minutes.
resource "aws_cloudwatch_log_metric_filter" "key_age" {
  name           = "${var.name}-signing-key-age"
  log_group_name = aws_cloudwatch_log_group.main["auth"].name
  pattern        = "{ $.signing_key_age_seconds = * }"

  metric_transformation {
    namespace = var.name
    name      = "signing-key-age-seconds"
    value     = "$.signing_key_age_seconds"
    unit      = "Seconds"
  }
}

resource "aws_cloudwatch_metric_alarm" "key_age" {
  # with 0 days the operator rotates the key, so that its age is no reason for an alarm
  count               = local.key_rotation_days > 0 ? 1 : 0
  alarm_name          = "${var.name}-signing-key-age"
  alarm_description   = "The signing key is two days older than it should ever be."
  namespace           = var.name
  metric_name         = "signing-key-age-seconds"
  statistic           = "Maximum"
  period              = 3600
  evaluation_periods  = 1
  comparison_operator = "GreaterThanThreshold"
  threshold           = (local.key_rotation_days + 2) * 86400
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
}

locals {
  key_rotation_days = tonumber(lookup(var.settings, "KEY_ROTATION_DAYS", "90"))
}
