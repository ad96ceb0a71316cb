# The load balancer. It terminates TLS, redirects plain HTTP, and forwards requests for the host name to the edge.

resource "aws_lb" "main" {
  name                       = var.name
  load_balancer_type         = "application"
  security_groups            = [aws_security_group.main["load-balancer"].id]
  subnets                    = local.public_subnet_ids
  drop_invalid_header_fields = true
  # appends the client's address to X-Forwarded-For; the edge reads the last one
  xff_header_processing_mode = "append"
  enable_deletion_protection = var.load_balancer_protected

  # access logs contain complete URLs, with tokens of mailed links and search terms: docs/aws.md names the permitted readers
  dynamic "access_logs" {
    for_each = contains(keys(local.logs), "access") ? aws_s3_bucket.logs : []
    content {
      bucket  = access_logs.value.id
      prefix  = "access"
      enabled = true
    }
  }

  # the load balancer writes a test object to the bucket at once
  depends_on = [aws_s3_bucket_policy.logs, aws_s3_bucket_server_side_encryption_configuration.logs]
}

resource "aws_wafv2_web_acl_association" "main" {
  count        = var.web_acl_arn == null ? 0 : 1
  resource_arn = aws_lb.main.arn
  web_acl_arn  = var.web_acl_arn
}

resource "aws_lb_target_group" "edge" {
  name        = "${var.name}-edge"
  target_type = "ip"
  protocol    = "HTTP"
  port        = local.services.edge.port
  vpc_id      = local.vpc_id
  # requests take at most 30 seconds
  deregistration_delay = 35

  health_check {
    path                = "/readyz"
    port                = local.services.edge.ready_port
    interval            = 10
    timeout             = 5
    healthy_threshold   = 2
    unhealthy_threshold = 3
  }
}

resource "aws_lb_listener" "https" {
  load_balancer_arn = aws_lb.main.arn
  protocol          = "HTTPS"
  port              = 443
  ssl_policy        = "ELBSecurityPolicy-TLS13-1-2-2021-06"
  certificate_arn   = local.certificate_arn
  # HSTS for two years on every response; plain HTTP only redirects
  routing_http_response_strict_transport_security_header_value = "max-age=63072000"

  # a request with another host name
  default_action {
    type = "fixed-response"
    fixed_response {
      content_type = "text/plain"
      status_code  = "404"
    }
  }
}

resource "aws_lb_listener" "http" {
  load_balancer_arn = aws_lb.main.arn
  protocol          = "HTTP"
  port              = 80

  default_action {
    type = "redirect"
    redirect {
      protocol    = "HTTPS"
      port        = "443"
      status_code = "HTTP_301"
    }
  }
}

resource "aws_lb_listener_rule" "edge" {
  listener_arn = aws_lb_listener.https.arn
  priority     = 10

  condition {
    host_header {
      values = [var.host_name]
    }
  }
  action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.edge.arn
  }
}
