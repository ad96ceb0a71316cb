# Recipients of alarms. The topics are not encrypted with a KMS key. CloudWatch cannot use AWS's own key for SNS. With your own key, a wrong
# policy would silently lose every alarm. An alarm contains only names and numbers.
locals {
  alarm_actions = concat(var.alarm_actions, aws_sns_topic.alarms[*].arn)
  protocols     = { for target in var.notify : target => startswith(target, "https://") ? "https" : "email" }
}

resource "aws_sns_topic" "alarms" {
  count = length(var.notify) > 0 ? 1 : 0
  name  = "${var.name}-alarms"
}

resource "aws_sns_topic_subscription" "alarms" {
  for_each               = local.protocols
  topic_arn              = aws_sns_topic.alarms[0].arn
  endpoint               = each.key
  protocol               = each.value
  endpoint_auto_confirms = each.value == "https"
}

data "aws_iam_policy_document" "alarms" {
  count = length(aws_sns_topic.alarms)

  statement {
    actions   = ["sns:Publish"]
    resources = [aws_sns_topic.alarms[0].arn]
    principals {
      type        = "Service"
      identifiers = ["cloudwatch.amazonaws.com", "events.rds.amazonaws.com"]
    }
    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [data.aws_caller_identity.main.account_id]
    }
  }
}

resource "aws_sns_topic_policy" "alarms" {
  count  = length(aws_sns_topic.alarms)
  arn    = aws_sns_topic.alarms[0].arn
  policy = data.aws_iam_policy_document.alarms[0].json
}

# Events without a metric: a failed backup, a failover, storage that could not grow.
resource "aws_db_event_subscription" "main" {
  count            = length(aws_sns_topic.alarms)
  name             = "${var.name}-database"
  sns_topic        = aws_sns_topic.alarms[0].arn
  source_type      = "db-instance"
  source_ids       = [aws_db_instance.main.identifier]
  event_categories = ["availability", "deletion", "failover", "failure", "low storage", "recovery"]
  depends_on       = [aws_sns_topic_policy.alarms]
}
