import Foundation

extension ErrorReport {
    /// The report of any error. Never traps, never fails, always fits a payload.
    ///
    /// A ``ReportableError`` is used unchanged. Any other error is read through `LocalizedError`,
    /// `CustomNSError` and `RecoverableError`, in any combination; an `NSError` as such; a plain
    /// Swift error gets its type's name as domain and a sentence made from its case.
    ///
    /// - Titles become options with the ids `option-0`, `option-1` and so on. A title that is
    ///   exactly `Cancel` gets the role ``Option/Role-swift.enum/cancel``, as `NSAlert` infers it.
    /// - Well-known userInfo keys become fields; `NSLocalizedFailure` stays, as `localizedFailure`.
    /// - Values that are not JSON are described as text and listed in ``undescribed``, as are
    ///   values and underlying errors that were cut or dropped: texts above 4,096 scalars, more
    ///   than 128 keys, 8 levels or 64 underlying errors, or 112 KiB in all.
    public init(describing error: any Error) {
        var describer = ErrorDescriber()
        self = describer.report(of: error)
    }
}

extension ErrorReport.Option {
    /// The options for the titles of a `RecoverableError` or an `NSError`.
    package static func options(titles: [String]) -> [Self] {
        titles.prefix(ErrorReport.Limits.optionCount).enumerated().map { index, title in
            Self(
                id: "option-\(index)",
                title: title.cut(toScalars: ErrorReport.Limits.titleScalarCount),
                role: title == "Cancel" ? .cancel : nil)
        }
    }
}

/// The describer of one local error and its underlying errors, within a budget.
struct ErrorDescriber {
    private typealias Limits = ErrorReport.Limits
    private typealias Local = Limits.Local

    /// The rest of the budget: underlying errors, bytes and JSON values. The outermost error's
    /// texts and options always fit and are not counted.
    private var errorsLeft = Limits.underlyingErrorCount
    private var bytesLeft = Local.restByteCount
    private var valuesLeft = Local.restValueCount
    /// A separate budget for the list of dropped parts, so that the list itself is kept.
    private var noteBytesLeft = Local.noteByteCount

    init() {}

    mutating func report(of error: any Error) -> ErrorReport {
        if let error = error as? any ReportableError { return error.report }
        let facts = ErrorFacts(error)
        var report = Self.core(of: facts)
        complete(&report, with: facts.userInfo, level: 0)
        return report
    }

    /// Texts and options, each within a limit.
    private static func core(of facts: ErrorFacts) -> ErrorReport {
        func text(_ text: String?) -> String? { text?.cut(toScalars: Local.textScalarCount) }
        return ErrorReport(
            domain: facts.identity.domain.nonEmpty?.cut(toScalars: Limits.domainScalarCount)
                ?? "unknown",
            code: facts.identity.code,
            description: facts.description.cut(toScalars: Local.textScalarCount),
            failureReason: text(facts.failureReason),
            recoverySuggestion: text(facts.recoverySuggestion),
            helpAnchor: facts.helpAnchor?.cut(toScalars: Local.helpAnchorScalarCount),
            options: ErrorReport.Option.options(titles: facts.optionTitles))
    }

    /// Adds userInfo and the underlying errors, in the order of their keys.
    private mutating func complete(
        _ report: inout ErrorReport, with userInfo: [String: Any], level: Int
    ) {
        var count = 0
        if !userInfo.isEmpty {
            report.userInfo = Dictionary(
                minimumCapacity: min(userInfo.count, Local.userInfoCount))
        }
        for (key, value) in userInfo.sorted(by: { $0.key < $1.key }) {
            if let errors = Self.underlyingErrors(key, value) {
                for error in errors {
                    guard let underlying = underlyingReport(of: error, level: level + 1) else {
                        note(key, in: &report)
                        break
                    }
                    report.underlyingErrors.append(underlying)
                }
                continue
            }
            let shortKey = key.cut(toScalars: Local.keyScalarCount)
            guard count < Local.userInfoCount, shortKey == key else {
                note(shortKey, in: &report)
                continue
            }
            count += 1
            let share = min(valuesLeft, Local.valueCount)
            var reader = ValueReader(valuesLeft: share)
            let json = reader.json(value)
            let bytes = JSONWriter.byteCount(of: json) + JSONWriter.byteCount(of: key) + 4
            guard spend(bytes: bytes, values: share - max(0, reader.valuesLeft)) else {
                note(key, in: &report)
                continue
            }
            report.userInfo[key] = json
            if reader.isLossy { note(key, in: &report) }
        }
    }

    /// The errors under a key for underlying errors; nil for any other key or value.
    private static func underlyingErrors(_ key: String, _ value: Any) -> [any Error]? {
        switch key {
        case NSUnderlyingErrorKey: return (value as? any Error).map { [$0] }
        case "NSMultipleUnderlyingErrorsKey":
            guard let values = value as? [Any] else { return nil }
            let errors = values.compactMap { $0 as? any Error }
            return errors.count == values.count ? errors : nil
        default: return nil
        }
    }

    /// The report of an underlying error; nil when no further error fits.
    private mutating func underlyingReport(of error: any Error, level: Int) -> ErrorReport? {
        guard level <= Local.underlyingDepth, errorsLeft > 0 else { return nil }
        errorsLeft -= 1
        if let error = error as? any ReportableError { return fitted(error.report, level: level) }
        let facts = ErrorFacts(error)
        let core = Self.core(of: facts)
        guard spend(on: core) else { return essentials(of: core) }
        var report = core
        complete(&report, with: facts.userInfo, level: level)
        return report
    }

    /// A report from elsewhere, whole if it fits.
    private mutating func fitted(_ report: ErrorReport, level: Int) -> ErrorReport? {
        let (count, depth) = report.underlyingExtent
        guard count <= errorsLeft, level + depth <= Local.underlyingDepth, spend(on: report) else {
            return essentials(of: report)
        }
        errorsLeft -= count
        return report
    }

    /// The identity of an error and the beginning of its texts.
    private mutating func essentials(of report: ErrorReport) -> ErrorReport? {
        let essentials = ErrorReport(
            domain: report.domain.cut(toScalars: Limits.domainScalarCount), code: report.code,
            description: report.description.cut(toScalars: 256), severity: report.severity)
        return spend(on: essentials) ? essentials : nil
    }

    private mutating func note(_ key: String, in report: inout ErrorReport) {
        guard report.undescribed.last != key else { return }
        let bytes = JSONWriter.byteCount(of: key) + 3
        guard bytes <= noteBytesLeft else { return }
        noteBytesLeft -= bytes
        report.undescribed.append(key)
    }

    private mutating func spend(on report: ErrorReport) -> Bool {
        let json = report.json
        return spend(bytes: json.encoded().count + 24, values: json.valueCount)
    }

    private mutating func spend(bytes: Int, values: Int) -> Bool {
        guard bytes <= bytesLeft, values <= valuesLeft else { return false }
        bytesLeft -= bytes
        valuesLeft -= values
        return true
    }
}

extension ErrorReport {
    /// The number of errors beneath this one, and of their levels.
    fileprivate var underlyingExtent: (count: Int, depth: Int) {
        underlyingErrors.reduce((0, 0)) { extent, error in
            let inner = error.underlyingExtent
            return (extent.0 + 1 + inner.count, max(extent.1, 1 + inner.depth))
        }
    }
}

extension JSONValue {
    /// The number of values in this one, itself included.
    fileprivate var valueCount: Int {
        switch self {
        case .array(let elements): elements.reduce(1) { $0 + $1.valueCount }
        case .object(let members): members.values.reduce(1) { $0 + $1.valueCount }
        default: 1
        }
    }
}

/// A readable sentence from a plain Swift error: `.fileNotFound(path: "/x")` is
/// `File not found (path: "/x").`
enum ErrorSentence {
    static func sentence(for error: any Error) -> String {
        // Through Any: from `any Error` the compiler would convert to NSError, which conforms.
        if let error = (error as Any) as? any CustomStringConvertible {
            let text = error.description
            if !text.isEmpty { return text }
        }
        let mirror = Mirror(reflecting: error)
        guard mirror.displayStyle == .enum else {
            return words(in: ValueText.shortTypeName(of: error))
                + ValueText.fields(of: mirror, depth: 0) + "."
        }
        guard let payload = mirror.children.first else {
            return words(in: "\(error)") + "."
        }
        return words(in: payload.label ?? ValueText.shortTypeName(of: error))
            + ValueText.payload(payload.value, depth: 0) + "."
    }

    /// `badURLGiven` is `Bad URL given`.
    static func words(in name: String) -> String {
        let characters = Array(name)
        var words: [String] = [""]
        for (index, character) in characters.enumerated() {
            if character == "_" {
                words.append("")
                continue
            }
            if index > 0, character.isUppercase {
                let followsSmall = !characters[index - 1].isUppercase
                let startsWord = index + 1 < characters.count && characters[index + 1].isLowercase
                if followsSmall || startsWord { words.append("") }
            }
            words[words.count - 1].append(character)
        }
        let lowered = words.filter { !$0.isEmpty }.map { word in
            word.count > 1 && word.allSatisfy { !$0.isLowercase } ? word : word.lowercased()
        }
        let text = lowered.joined(separator: " ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}
