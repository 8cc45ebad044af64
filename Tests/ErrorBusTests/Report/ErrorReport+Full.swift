import ErrorBus

extension ErrorReport {
    static let unknownKeysOfFull: [String: JSONValue] = [
        "colour": "red", "v2": ["deep": [nil]],
    ]

    /// Every field set, and unknown keys on every level.
    static var full: ErrorReport {
        var inner = ErrorReport(domain: "NSPOSIXErrorDomain", code: 111, description: "Refused")
        inner.unknownKeys = ["hint": [1, 2]]
        let outer = ErrorReport(
            domain: "ledger", description: "No ledger", severity: .warning,
            underlyingErrors: [inner])
        var overwrite = Option(
            id: "overwrite", title: "Overwrite", role: .destructive, isDeclaredDefault: true)
        overwrite.unknownKeys = ["icon": "trash"]
        overwrite.needsSignature = true
        overwrite.needsTwoPeople = true
        overwrite.fields = [.text("path", label: "Path", default: "/tmp")]
        var report = ErrorReport(
            domain: "com.acme.billing", code: .min, description: "The invoice is lost.",
            severity: .critical,
            options: [
                Option(id: "retry", title: "Retry ↻", role: .default), overwrite,
                Option(id: "skip", title: "Skip"),
                Option(id: "cancel", title: "Cancel", role: .cancel),
            ],
            userInfo: [
                "invoice": "INV-7", "lines": [1, 2.5, nil, true, ["a": "b"]], "raw": "<x>",
            ],
            underlyingErrors: [outer, inner])
        for text in texts { report[keyPath: text.property] = "The \(text.key)." }
        report.retryOf = PresentationID("01890a5d-ac96-774b-bcce-b302099a8057")
        report.coalesceKey = "ledger"
        report.onExpiry = "skip"
        report.undescribed = ["raw"]
        report.unknownKeys = unknownKeysOfFull
        report.unknownKeys["changes"] = [["by": "relay", "rewritten": ["reason"]]]
        report.retryCount = 2
        return report
    }
}
