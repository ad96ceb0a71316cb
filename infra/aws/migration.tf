locals {
  # environment of ./task
  task_variables = {
    AWS_REGION      = var.region
    CLUSTER         = aws_ecs_cluster.main.name
    TASK_DEFINITION = aws_ecs_task_definition.main["migrate"].arn
    SUBNETS         = join(",", local.private_subnet_ids)
    SECURITY_GROUP  = aws_security_group.main["migrate"].id
    LOG_GROUP       = aws_cloudwatch_log_group.main["migrate"].name
    DATABASE        = aws_db_instance.main.identifier
    DATABASE_TLS    = local.node_tls
  }
}

# Runs the migration whenever its task definition changes, and waits for it. If it fails, the apply fails before it changes a service.
resource "terraform_data" "migration" {
  count            = var.migrate_on_apply ? 1 : 0
  triggers_replace = [aws_ecs_task_definition.main["migrate"].arn]

  provisioner "local-exec" {
    command     = "${path.module}/migrate"
    environment = local.task_variables
  }

  # the task needs network access to the database and to AWS
  depends_on = [
    aws_vpc_security_group_ingress_rule.flow,
    aws_vpc_security_group_egress_rule.flow,
    aws_vpc_security_group_egress_rule.https,
    aws_vpc_security_group_egress_rule.endpoints,
    aws_vpc_security_group_egress_rule.s3,
    aws_vpc_security_group_ingress_rule.endpoints,
    aws_vpc_endpoint.interface,
    aws_route_table_association.private,
  ]
}
