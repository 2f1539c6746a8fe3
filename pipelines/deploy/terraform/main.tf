# One release by a Flex Template. A release is an event, not a state: change run_id for another one, which spends again.
terraform {
  required_providers {
    google-beta = { source = "hashicorp/google-beta" }
  }
}

variable "project" { type = string }
variable "region" { type = string }
variable "bucket" { type = string }

resource "google_dataflow_flex_template_job" "synthetic_visits" {
  provider                = google-beta
  project                 = var.project
  region                  = var.region
  name                    = "synthetic-visits"
  container_spec_gcs_path = "gs://${var.bucket}/templates/dapple.json"
  staging_location        = "gs://${var.bucket}/staging"
  on_delete               = "cancel"
  parameters = {
    domain  = "gs://${var.bucket}/visits.yaml"
    input   = "gs://${var.bucket}/visits/*.parquet"
    output  = "gs://${var.bucket}/synthetic/2026"
    epsilon = "0.5"
    delta   = "1e-9"
    ledger  = "gs://${var.bucket}/visits.book"
    run_id  = "visits-2026"
  }
}
