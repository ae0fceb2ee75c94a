"""An independent auditor of traces: it shares no code with the simulation, nor with the checks of the records."""

from jaxworld.social.audit.auditor import audit, audit_folder
from jaxworld.social.audit.report import Finding, Report

__all__ = ["Finding", "Report", "audit", "audit_folder"]
