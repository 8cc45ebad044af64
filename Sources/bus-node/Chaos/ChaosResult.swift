import ErrorBus

/// What came of a chaos run.
struct ChaosResult: Sendable {
    let settings: ChaosSettings
    let schedule: FaultSchedule
    let counts: LedgerCounts
    let everyEndIsAnAnswer: Bool
    /// Processes that went by themselves, a sentence each.
    let crashes: [String]
    /// How long it took after the last fault; nil: it had not settled within the limit.
    let settling: Duration?
    let killCount: Int

    /// What does not hold, a sentence each; empty: all is well.
    var violations: [String] {
        var found = counts.violations(
            expected: settings.presentations, everyEndIsAnAnswer: everyEndIsAnAnswer)
        if settling == nil { found.append("not settled within \(settings.settleLimit)") }
        return found + crashes
    }

    var json: JSONValue {
        var object: [String: JSONValue] = ["seed": .integer(Int64(bitPattern: settings.seed))]
        for row in counts.rows { object[row.name] = .integer(Int64(row.count)) }
        object["schedule"] = .object(
            Dictionary(
                uniqueKeysWithValues: schedule.counts.map {
                    ($0.fault.rawValue, .integer(Int64($0.count)))
                }))
        object["faults"] = .integer(Int64(schedule.faults.count))
        object["kills"] = .integer(Int64(killCount))
        object["crashes"] = .integer(Int64(crashes.count))
        object["durationSeconds"] = .number(settings.duration.seconds)
        object["settleSeconds"] = settling.map { .number($0.seconds) } ?? .null
        object["holds"] = .bool(violations.isEmpty)
        object["violations"] = .array(violations.map { .string($0) })
        return .object(object)
    }

    /// For people, a line each.
    var table: [String] {
        let faults = schedule.counts.map { "\($0.fault.rawValue) \($0.count)" }
            .joined(separator: ", ")
        let width = counts.rows.map(\.name.count).max() ?? 0
        var lines = [
            "seed \(settings.seed), \(settings.duration), "
                + "\(schedule.faults.count) faults: \(faults)"
        ]
        lines += counts.rows.map { name, count in
            "  \(name.padding(toLength: width))  \(count)"
        }
        if let settling {
            lines.append("settled \(settling.formatted()) after the last fault")
        }
        lines += violations.map { "VIOLATED: \($0)" }
        if violations.isEmpty { lines.append("all invariants hold") }
        return lines
    }
}

extension Duration {
    /// Seconds with one digit.
    fileprivate func formatted() -> String {
        "\((seconds * 10).rounded() / 10) s"
    }
}
