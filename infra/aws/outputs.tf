output "public_url" {
  description = "What people type: base_url; the data surface is below it at /data."
  value       = local.public_url
}

output "load_balancer" {
  description = "Where the DNS record of host_name points: an alias in Route 53, a CNAME elsewhere."
  value       = { dns_name = aws_lb.main.dns_name, zone_id = aws_lb.main.zone_id }
}

output "database" {
  description = "The server's address, and the secret that holds the owner's password."
  value       = { address = aws_db_instance.main.address, owner_secret_arn = local.owner_secret }
}

output "migration" {
  description = "The variables of ./migrate."
  value = {
    AWS_REGION      = var.region
    CLUSTER         = aws_ecs_cluster.main.name
    TASK_DEFINITION = aws_ecs_task_definition.main["migrate"].arn
    SUBNETS         = join(",", local.private_subnet_ids)
    SECURITY_GROUP  = aws_security_group.main["migrate"].id
  }
}

output "log_groups" {
  description = "The log groups, by what writes into them."
  value       = { for name, group in aws_cloudwatch_log_group.main : name => group.name }
}
