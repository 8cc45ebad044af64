/// An error with its report and its attempter: the result of `recoverable { }` and `rewriting { }`.
/// It stands in for `underlying`, and keeps its domain and code unless they are rewritten.
/// `causing(_:)` of an error finds the original.
public struct Recoverable: AttemptableError {
    /// The original error.
    public let underlying: any Error
    /// The report to show. Its options are the attempter's, possibly rewritten.
    public let report: ErrorReport
    /// The attempter that runs the chosen option.
    public let attempter: any RecoveryAttempter

    init(_ underlying: any Error, report: ErrorReport, attempter: any RecoveryAttempter) {
        self.underlying = underlying
        self.report = report
        self.attempter = attempter
    }
}

extension Error {
    /// This error with `options` as its only options, each owned by this process. To keep its
    /// earlier options use ``addingRecoveryOptions(_:timeLimit:options:)``.
    ///
    /// - Parameters:
    ///   - timeLimit: The limit of each attempt, as for ``OptionAttempter``.
    ///   - options: The options, in the order in which people see them.
    public func recoverable(
        timeLimit: Duration = OptionAttempter.timeLimitDefault,
        @RecoveryOptionBuilder options: () -> [RecoveryOption]
    ) -> Recoverable {
        recoverable(by: OptionAttempter(options(), timeLimit: timeLimit))
    }

    /// This error with another attempter and its options.
    public func recoverable(by attempter: any RecoveryAttempter) -> Recoverable {
        var report = ErrorReport(describing: self)
        report.options = attempter.options
        return Recoverable(self, report: report, attempter: attempter)
    }

    /// This error with more options, before or after its own. The owner of each option runs it:
    /// this process runs the added options, their own owners run the others.
    public func addingRecoveryOptions(
        _ place: RecoveryOption.Place = .last,
        timeLimit: Duration = OptionAttempter.timeLimitDefault,
        @RecoveryOptionBuilder options: () -> [RecoveryOption]
    ) -> Recoverable {
        addingRecoveryOptions(place, of: OptionAttempter(options(), timeLimit: timeLimit))
    }

    /// This error with the options of another attempter, before or after its own.
    public func addingRecoveryOptions(
        _ place: RecoveryOption.Place = .last, of added: any RecoveryAttempter
    ) -> Recoverable {
        var report = ErrorReport(describing: self)
        let mine = added.options
        let others = report.options.filter { other in !mine.contains { $0.id == other.id } }
        report.options = place == .first ? mine + others : others + mine
        let combined = CombinedAttempter(added, place: place, over: recoveryAttempter)
        return Recoverable(self, report: report, attempter: combined)
    }

    /// This error with a changed report and the same attempter. Titles may be changed and options
    /// reordered or removed; ids stay the same, so that their owners are found. The owner still
    /// wants the signature and the second person that its option needs.
    public func rewriting(_ change: (inout ErrorReport) -> Void) -> Recoverable {
        var report = ErrorReport(describing: self)
        change(&report)
        return Recoverable(
            self, report: report, attempter: recoveryAttempter ?? OptionAttempter([]))
    }

    /// The error with a changed report, as for ``rewriting(_:)``; this same error if nothing
    /// changes.
    func changed(_ change: (inout ErrorReport) -> Void) -> any Error {
        let before = ErrorReport(describing: self)
        var report = before
        change(&report)
        return report == before ? self : rewriting { $0 = report }
    }

    /// This error, or the error that a ``Recoverable`` wraps at any depth, as a `Failure`; nil if
    /// none of these errors is a `Failure`.
    public func causing<Failure: Error>(_ type: Failure.Type) -> Failure? {
        var error: any Error = self
        while true {
            if let found = error as? Failure { return found }
            guard let wrapper = error as? Recoverable else { return nil }
            error = wrapper.underlying
        }
    }
}
