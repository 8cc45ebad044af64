import ErrorBus

/// What one process of a soak held: before the load, at most, and afterwards.
struct SoakUse: Hashable, Sendable {
    /// Memory may have grown by this part of what it was.
    static let growthMax = 0.1

    let name: NodeName
    let before: ProcessSample
    let peak: ProcessSample
    let after: ProcessSample

    /// What does not hold, a sentence each.
    var violations: [String] {
        var found: [String] = []
        let limit = Double(before.residentBytes) * (1 + Self.growthMax)
        if Double(after.residentBytes) > limit {
            found.append("\(name): memory grew by \(growth), allowed: 10 %")
        }
        if after.descriptors > before.descriptors {
            found.append(
                "\(name): \(after.descriptors) descriptors, \(before.descriptors) before")
        }
        if after.tableEntries != 0 {
            let left = after.tableEntries.map(String.init) ?? "unknown"
            found.append("\(name): entries left in its tables: \(left)")
        }
        return found
    }

    private var growth: String {
        let part = Double(after.residentBytes) / Double(max(1, before.residentBytes)) - 1
        return "\((part * 1_000).rounded() / 10) %"
    }

    static let titles = [
        "NODE", "MIB BEFORE", "PEAK", "AFTER", "CHANGE", "FDS BEFORE", "PEAK", "AFTER",
        "ENTRIES PEAK", "AFTER",
    ]

    var cells: [String] {
        [
            name.description, before.mebibytes, peak.mebibytes, after.mebibytes,
            growth, String(before.descriptors), String(peak.descriptors),
            String(after.descriptors), peak.tableEntries.map(String.init) ?? "-",
            after.tableEntries.map(String.init) ?? "-",
        ]
    }
}
