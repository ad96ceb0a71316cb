# Reads on read replicas: an RDS server for each of var.readers, and PostgREST tasks on it that only the edge reaches. docs/scaling.md
# explains what they answer.

locals {
  readers = [for number in range(var.readers) : "reader-${number + 1}"]
  # a reader has as many tasks as data, of the same size
  sizes = merge(var.tasks, { for name in local.readers : name => var.tasks["data"] })
  # The connections of the readers go to the primary if there is no replica.
  postgrest_at_most = var.tasks["data"].maximum * (1 + var.readers)

  reader_environment = { for index, name in local.readers : name => merge(local.environment.data, {
    # the listener of PostgREST goes to the primary by itself
    PGHOST               = "${aws_db_instance.reader[index].address},${aws_db_instance.main.address}"
    PGTARGETSESSIONATTRS = "prefer-standby"
    PGAPPNAME            = "postgrest-standby"
    # PostgREST ignores this variable. A new version replaces the tasks, because a reader loads the schema when it starts.
    VERSION = var.auth_image
  }) }
  reader_upstreams = var.readers == 0 ? {} : {
    DATA_REPLICAS            = join(" ", [for name in local.readers : "${local.upstreams[name]}:${local.services[name].port}"])
    DATA_REPLICAS_READY_PORT = tostring(local.services.data.ready_port)
  }
}

# Encryption, subnets, version and the owner's password are those of the source.
resource "aws_db_instance" "reader" {
  count                  = var.readers
  identifier             = "${local.database_identifier}-${local.readers[count.index]}"
  replicate_source_db    = aws_db_instance.main.identifier
  instance_class         = var.database.instance_class
  max_allocated_storage  = var.database.storage_limit_gib
  storage_type           = "gp3"
  storage_encrypted      = true
  ca_cert_identifier     = aws_db_instance.main.ca_cert_identifier
  vpc_security_group_ids = aws_db_instance.main.vpc_security_group_ids
  publicly_accessible    = false
  parameter_group_name   = aws_db_parameter_group.main.name
  maintenance_window     = aws_db_instance.main.maintenance_window

  # it has nothing that the source does not have
  backup_retention_period = 0
  skip_final_snapshot     = true

  auto_minor_version_upgrade      = true
  performance_insights_enabled    = true
  performance_insights_kms_key_id = var.kms_key_arn
  enabled_cloudwatch_logs_exports = ["postgresql", "upgrade"]
  depends_on                      = [aws_cloudwatch_log_group.reader]
}

# without these resources RDS creates the groups itself, with unlimited retention
resource "aws_cloudwatch_log_group" "reader" {
  for_each          = { for pair in setproduct(local.readers, ["postgresql", "upgrade"]) : join("-", pair) => pair }
  name              = "/aws/rds/instance/${local.database_identifier}-${each.value[0]}/${each.value[1]}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.kms_key_arn
}

resource "aws_cloudwatch_metric_alarm" "reader_delay" {
  count               = var.readers
  alarm_name          = "${var.name}-${local.readers[count.index]}-delay"
  alarm_description   = "The replica is more than twenty seconds behind, so that the primary answers its reads."
  namespace           = "AWS/RDS"
  metric_name         = "ReplicaLag"
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 5
  comparison_operator = "GreaterThanThreshold"
  threshold           = 20
  treat_missing_data  = "breaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
  dimensions          = { DBInstanceIdentifier = aws_db_instance.reader[count.index].identifier }
}
