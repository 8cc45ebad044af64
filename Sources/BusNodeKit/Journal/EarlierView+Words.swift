// Earlier presentations of the same cause, in words. Not escaped.
extension EarlierView {
    /// How often each option helped, by its id.
    var results: [String: String] {
        Dictionary(
            options.map {
                ($0.option, "recovered \($0.recovered) of \($0.answered) in \(Self.days) days")
            }
        ) { first, _ in first }
    }

    /// Their number, and the latest ones; empty without any.
    var lines: [String] {
        guard count > 0 else { return [] }
        let times = count == 1 ? "once" : "\(count) times"
        return ["the same \(times) in \(Self.days) days"]
            + latest.map { past in
                let answer = past.option.map { "\($0) by \(past.authors): " } ?? ""
                return "\(past.openedAt) \(answer)\(past.ending ?? past.stage)"
            }
    }
}
