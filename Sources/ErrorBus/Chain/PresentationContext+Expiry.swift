extension PresentationContext {
    /// The answer for the case that none came before the deadline: what the caller or the
    /// error declares. Nil where nothing is declared, or what is declared is not offered.
    ///
    /// Only the origin applies it, by its own clock, so that no two processes can.
    func answerOnExpiry(of error: any Error, by name: String) -> Answer? {
        guard PresentedOrigin.current == nil else { return nil }
        let report = ErrorReport(describing: error)
        guard let option = onExpiry ?? report.onExpiry,
            report.options.contains(where: { $0.id == option })
        else { return nil }
        // A presentation expires once: its own id will do.
        return Answer(id: id.value, option: option, by: name, via: .expiry)
    }
}
