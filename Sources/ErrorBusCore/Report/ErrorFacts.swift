import Foundation

/// The texts, identity and options of an error without a report of its own, as its protocols give
/// them, without limits. A protocol's value takes precedence over userInfo.
struct ErrorFacts {
    let identity: ErrorIdentity
    let description: String
    let failureReason: String?
    let recoverySuggestion: String?
    let helpAnchor: String?
    let optionTitles: [String]
    /// The values of userInfo beyond the texts and options above.
    let userInfo: [String: Any]

    init(_ error: any Error) {
        let localized = error as? any LocalizedError
        var userInfo =
            NSError.made(error)?.userInfo ?? (error as? any CustomNSError)?.errorUserInfo ?? [:]
        identity = ErrorIdentity(withoutReport: error)

        func text(_ own: String?, _ key: String) -> String? {
            let other = Self.takeText(key, from: &userInfo)
            return own?.nonEmpty ?? other
        }
        let reason = text(localized?.failureReason, NSLocalizedFailureReasonErrorKey)
        failureReason = reason
        recoverySuggestion = text(
            localized?.recoverySuggestion, NSLocalizedRecoverySuggestionErrorKey)
        helpAnchor = text(localized?.helpAnchor, NSHelpAnchorErrorKey)
        let own = text(localized?.errorDescription, NSLocalizedDescriptionKey)
        let failure = Self.takeText("NSLocalizedFailure", from: &userInfo)
        description = own ?? Self.description(of: error, failure: failure, reason: reason)
        if let failure, userInfo["localizedFailure"] == nil {
            userInfo["localizedFailure"] = failure
        }

        let titles = userInfo[NSLocalizedRecoveryOptionsErrorKey] as? [String]
        if titles != nil { userInfo[NSLocalizedRecoveryOptionsErrorKey] = nil }
        optionTitles = (error as? any RecoverableError)?.recoveryOptions ?? titles ?? []
        // Means nothing outside its process: attempters stay with their owner.
        userInfo[NSRecoveryAttempterErrorKey] = nil
        self.userInfo = userInfo
    }

    /// Takes out a text that has its own field. A value of another type stays in userInfo.
    private static func takeText(_ key: String, from userInfo: inout [String: Any]) -> String? {
        guard let text = userInfo[key] as? String else { return nil }
        userInfo[key] = nil
        return text.nonEmpty
    }

    /// The description by the order of AppKit's Foundation, which Foundation on Linux follows only
    /// in part: failure and reason, a generic failure and the reason, then the domain's own text.
    private static func description(
        of error: any Error, failure: String?, reason: String?
    ) -> String {
        if let failure {
            return reason.map { "\(failure) \($0)" } ?? failure
        }
        if let reason { return "The operation could not be completed. \(reason)" }
        if error is CancellationError { return "The operation was cancelled." }
        guard NSError.made(error) != nil || isFoundationError(error) else {
            return ErrorSentence.sentence(for: error)
        }
        let identity = ErrorIdentity(error)
        if identity.domain == NSPOSIXErrorDomain, Int32(exactly: identity.code ?? 0) == nil {
            // Foundation traps on a number that errno cannot hold.
            let code = identity.code ?? 0
            return "The operation could not be completed. (\(identity.domain) error \(code).)"
        }
        return error.localizedDescription
    }

    private static func isFoundationError(_ error: any Error) -> Bool {
        error is CocoaError || error is POSIXError || error is URLError
    }
}

extension String {
    /// The text; nil instead of an empty one.
    var nonEmpty: String? { isEmpty ? nil : self }
}

/// An error's domain and code, read without a cast to NSError: on Linux the cast loses text and
/// options, and hashing its result traps.
struct ErrorIdentity: Hashable, Sendable {
    let domain: String
    /// The code; nil for an error without a number. Foundation would number the enum's cases by
    /// position, which the next edit changes.
    let code: Int?

    init(domain: String, code: Int?) {
        self.domain = domain
        self.code = code
    }

    init(_ error: any Error) {
        if let error = error as? any ReportableError {
            let report = error.report
            self.init(domain: report.domain, code: report.code)
        } else {
            self.init(withoutReport: error)
        }
    }

    /// The identity of an error that is no ``ReportableError``.
    fileprivate init(withoutReport error: any Error) {
        if let error = NSError.made(error) {
            self.init(domain: error.domain, code: error.code)
        } else if let error = error as? any CustomNSError {
            self.init(domain: Self.domain(of: error), code: error.errorCode)
        } else if error is CancellationError {
            self = .taskCancelled
        } else {
            let raw = (error as? any RawRepresentable)?.rawValue as? any BinaryInteger
            self.init(
                domain: Self.typeName(of: error), code: raw.flatMap { Self.int($0) })
        }
    }

    /// A cancelled task's error, under the name that Foundation gives it.
    static let taskCancelled = ErrorIdentity(domain: "Swift.CancellationError", code: 1)

    private static func int(_ value: some BinaryInteger) -> Int? { Int(exactly: value) }

    private static func domain(of error: some CustomNSError) -> String {
        let domain = type(of: error).errorDomain
        // The default domain is the type's name, with the same unstable parts.
        return domain.isEmpty || domain == _typeName(type(of: error), qualified: true)
            ? typeName(of: error) : domain
    }

    /// The type's name with its module. The name of a type inside a function holds the function's
    /// address, which changes with every start: that part is left out.
    static func typeName(of value: Any) -> String {
        let name = String(reflecting: type(of: value))
        let parts = name.split(separator: ".")
        let kept = parts.filter { !$0.hasPrefix("(unknown context") }
        return kept.count == parts.count ? name : kept.joined(separator: ".")
    }
}
