# RDS copies every backup, and what is between two, to another region, where it can be restored when this one is lost.
resource "aws_db_instance_automated_backups_replication" "main" {
  provider               = aws.copies
  count                  = var.copies == null ? 0 : 1
  source_db_instance_arn = aws_db_instance.main.arn
  retention_period       = var.copies.days
  kms_key_id             = var.copies.kms_key_arn
}
