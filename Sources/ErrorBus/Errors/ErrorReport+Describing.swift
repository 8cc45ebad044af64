extension ErrorReport {
    /// The report of any error. Never traps, never fails, always fits a payload.
    ///
    /// A ``ReportableError`` is taken as it is. Everything else is read through `LocalizedError`,
    /// `CustomNSError` and `RecoverableError`, in any combination, before an `NSError` made as
    /// such; a plain Swift error gets its type's name as domain and a sentence made of its case.
    ///
    /// - Titles become options with the ids `option-0`, `option-1` and so on. A title that is
    ///   exactly `Cancel` gets the role ``Option/Role-swift.enum/cancel``, as `NSAlert` infers it.
    /// - Well-known userInfo keys become fields; `NSLocalizedFailure` stays, as `localizedFailure`.
    /// - Values that are not JSON are described as text and listed in ``undescribed``, and so are
    ///   values and underlying errors that were cut or left out: texts beyond 4,096 scalars, more
    ///   than 128 keys, 8 levels or 64 underlying errors, or 112 KiB for all of it.
    public init(describing error: any Error) {
        var describer = ErrorDescriber()
        self = describer.report(of: error)
    }
}

extension ErrorReport.Option {
    /// The options for the titles of a `RecoverableError` or an `NSError`.
    static func options(titles: [String]) -> [Self] {
        titles.prefix(ErrorReport.Limits.optionCount).enumerated().map { index, title in
            Self(
                id: id(ofTitle: index),
                title: title.cut(toScalars: ErrorReport.Limits.titleScalarCount),
                role: title == "Cancel" ? .cancel : nil)
        }
    }

    /// The id given to the title at that index, which is what its attempter wants to hear.
    static func id(ofTitle index: Int) -> String { "option-\(index)" }

    /// The index of the title that got this id; nil for an id made otherwise.
    static func titleIndex(ofID id: String) -> Int? {
        guard id.hasPrefix("option-"), let index = Int(id.dropFirst("option-".count)), index >= 0,
            id == Self.id(ofTitle: index)
        else { return nil }
        return index
    }
}
