"""Presentations as they may come in earnest."""
import random


KINDS = [
    ("critical", "org.example.storage", 28, "The volume /srv/archive has no space left.",
     "The nightly snapshots were kept for 90 days instead of 9.",
     "Delete snapshots older than nine days, or attach another volume.",
     [("retry", "Retry", "default"), ("purge", "Delete old snapshots", "destructive"),
      ("cancel", "Stop the import", "cancel")]),
    ("error", "org.example.billing", 409, "Invoice 2024-1187 exists already with another amount.",
     "The file says 1 240.00, the ledger 1 420.00.", "Compare both before overwriting.",
     [("skip", "Skip this invoice", "default"), ("overwrite", "Overwrite", "destructive"),
      ("cancel", "Abort the run", "cancel")]),
    ("error", "bus-node.exec", 23, "rsync ended with 23: some files could not be transferred.",
     "backup:/srv/data: Permission denied (13)", None,
     [("retry", "Retry", "default"), ("skip", "Skip", None), ("cancel", "Abort", "cancel")]),
    ("warning", "org.example.mail", 421, "mx2.example.org takes no mail for now.", None,
     "It says to try again in ten minutes.",
     [("wait", "Wait ten minutes", "default"), ("reroute", "Use mx1", None),
      ("cancel", "Give up", "cancel")]),
    ("info", "org.example.schema", None, "Two columns of the feed are new: vat_id, region.", None,
     None, [("take", "Take them over", "default"), ("ignore", "Ignore them", None)]),
]


def made_up(chance, distinct):
    severity, domain, code, description, reason, suggestion, options = chance.choice(KINDS)
    report = {
        "domain": domain, "code": code, "description": description, "severity": severity,
        "failureReason": reason, "recoverySuggestion": suggestion,
        "userInfo": {"host": f"node-{chance.randint(1, 40):02}", "attempt": chance.randint(1, 4),
                     "path": "/srv/data/in/2024-06-11.csv"},
        "underlyingErrors": [{"domain": "NSPOSIXErrorDomain", "code": 28,
                              "description": "No space left on device",
                              "underlyingErrors": [{"domain": "block", "code": 5,
                                                    "description": "write failed"}]}],
        "recoveryOptions": [{"id": identity, "title": title, "role": role}
                            for identity, title, role in options]}
    if chance.random() < distinct:
        report["coalesceKey"] = str(chance.random())
        report["description"] = f"{description[:-1]} (batch {chance.randint(1, 99999)})."
    if domain.endswith("mail"):  # Sent another way when no answer comes.
        report.update(onExpiry="reroute",
                      deadlineMilliseconds=int(chance.uniform(90, 1500) * 1000))
    return {name: value for name, value in report.items() if value is not None}


def reports(count, seed=1, distinct=0.1):
    chance = random.Random(seed)
    return [made_up(chance, distinct) for _ in range(count)]
