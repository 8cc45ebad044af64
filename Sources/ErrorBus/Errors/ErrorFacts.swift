import Foundation

/// What an error says about itself through Swift's and Foundation's protocols, unbounded. Where
/// two sources say something, the protocol wins over userInfo.
struct ErrorFacts {
    let identity: ErrorIdentity
    let description: String
    let failureReason: String?
    let recoverySuggestion: String?
    let helpAnchor: String?
    let optionTitles: [String]
    /// What userInfo holds beyond the texts and options above.
    let userInfo: [String: Any]

    init(_ error: any Error) {
        let localized = error as? any LocalizedError
        var userInfo =
            NSError.made(error)?.userInfo ?? (error as? any CustomNSError)?.errorUserInfo ?? [:]
        identity = ErrorIdentity(error)

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
        // Means nothing outside its process: what the choices do stays with their owner.
        userInfo[NSRecoveryAttempterErrorKey] = nil
        self.userInfo = userInfo
    }

    /// Takes a text that has a field of its own. A value of another type stays in userInfo.
    private static func takeText(_ key: String, from userInfo: inout [String: Any]) -> String? {
        guard let text = userInfo[key] as? String else { return nil }
        userInfo[key] = nil
        return text.nonEmpty
    }

    /// The order in which AppKit's Foundation looks for a description, of which Foundation on
    /// Linux has only a part: failure and reason, a generic failure and the reason, then the
    /// domain's own text.
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
    /// Nil instead of an empty text.
    var nonEmpty: String? { isEmpty ? nil : self }
}
