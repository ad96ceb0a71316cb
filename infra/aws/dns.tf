# With zone_id Terraform creates the certificate and the DNS record of host_name. Without it you provide both.
locals {
  certificate_arn = var.certificate_arn != null ? var.certificate_arn : try(aws_acm_certificate_validation.main[0].certificate_arn, null)
  # a certificate has one name, and therefore one validation option
  validation = [for certificate in aws_acm_certificate.main : one(certificate.domain_validation_options)]
}

resource "aws_acm_certificate" "main" {
  count             = var.certificate_arn == null ? 1 : 0
  domain_name       = var.host_name
  validation_method = "DNS"

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_route53_record" "validation" {
  count           = length(local.validation)
  zone_id         = var.zone_id
  name            = local.validation[count.index].resource_record_name
  type            = local.validation[count.index].resource_record_type
  records         = [local.validation[count.index].resource_record_value]
  ttl             = 60
  allow_overwrite = true
}

# waits until the certificate is issued
resource "aws_acm_certificate_validation" "main" {
  count                   = length(local.validation)
  certificate_arn         = aws_acm_certificate.main[count.index].arn
  validation_record_fqdns = [aws_route53_record.validation[count.index].fqdn]
}

resource "aws_route53_record" "main" {
  count   = var.zone_id == null ? 0 : 1
  zone_id = var.zone_id
  name    = var.host_name
  type    = "A"

  alias {
    name                   = aws_lb.main.dns_name
    zone_id                = aws_lb.main.zone_id
    evaluate_target_health = false
  }
}
