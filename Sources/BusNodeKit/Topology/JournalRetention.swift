import OrderedCollections

/// The time that a journal keeps ended presentations: `retention` of a node. The first limit that
/// is reached applies. Above the age the oldest go first, above the number or the size those
/// without a decision.
package struct JournalRetention: Hashable, Sendable {
    package static let ageRange: ClosedRange<Duration> =
        .seconds(3_600) ... .seconds(DurationText.dayCountMax * 86_400)
    package static let countRange = 1_000...10_000_000
    package static let megabyteRange = 16...1_000_000

    package var age: Duration
    /// The most presentations; of events the journal keeps four times as many.
    package var count: Int
    /// The most megabytes of the database, without its free pages.
    package var megabytes: Int

    var byteCount: Int { megabytes << 20 }

    package init(
        age: Duration = .seconds(30 * 86_400), count: Int = 200_000, megabytes: Int = 4_096
    ) {
        self.age = age
        self.count = count
        self.megabytes = megabytes
    }
}

extension TopologyReader {
    mutating func retention(_ field: ConfigurationField) -> JournalRetention {
        var retention = JournalRetention()
        guard let fields = decoder.fields(field, keys: ["age", "count", "megabytes"]) else {
            return retention
        }
        if let field = fields["age"], let age = decoder.duration(field) {
            let range = JournalRetention.ageRange
            if range.contains(age) {
                retention.age = age
            } else {
                decoder.report(
                    field,
                    allowed: "\(DurationText.text(range.lowerBound)) to "
                        + "\(DurationText.dayCountMax)d")
            }
        }
        if let field = fields["count"] {
            retention.count =
                decoder.number(field, in: JournalRetention.countRange) ?? retention.count
        }
        if let field = fields["megabytes"] {
            retention.megabytes =
                decoder.number(field, in: JournalRetention.megabyteRange) ?? retention.megabytes
        }
        return retention
    }
}
