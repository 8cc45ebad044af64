import ErrorBus
import Hummingbird

/// The reason why an identity provider does not sign a person in.
enum SignInRefusal: Error, Hashable {
    /// The provider cannot be reached, or breaks the protocol.
    case provider(String)
    /// The provider's token is not for this sign-in.
    case token(IDTokenFault)
    /// The provider has not signed the person in; its own word for the reason.
    case declined(String)
    /// The browser has begun no such sign-in, or too long ago, or it is used up.
    case notBegun
    /// Too many sign-ins are completed at this moment.
    case busy
    /// The provider does not send this claim about the person.
    case noClaim(String)
    /// The provider does not vouch for the person's address.
    case unverified(String)
    /// The claim has a value that cannot be a name here.
    case noName(String, String)
    /// The person is no user of the console, and in no group that may enter it, or is shut out.
    case unknownUser(String, isShutOut: Bool)

    private var status: HTTPResponse.Status {
        switch self {
        case .provider, .token: .badGateway
        case .busy: .serviceUnavailable
        case .notBegun: .badRequest
        case .declined, .noClaim, .unverified, .noName, .unknownUser: .forbidden
        }
    }

    private var word: String {
        switch self {
        case .provider: "provider"
        case .token: "idToken"
        case .declined: "declined"
        case .notBegun: "notBegun"
        case .busy: "busy"
        case .noClaim, .unverified, .noName: "noName"
        case .unknownUser: "unknownUser"
        }
    }

    /// - Parameter provider: The provider's name for people.
    func problem(with provider: String) -> APIProblem {
        APIProblem(status, word, "\(provider): \(text)")
    }

    private var text: String {
        switch self {
        case .provider(let reason):
            "\(reason); sign in again in a minute, or use a token of this console"
        case .token(let fault):
            "its ID token is refused: \(fault); sign in again, and if that does not help let the "
                + "administrator of this console compare `oidc` with the provider"
        case .declined(let word):
            "found the error \(word.shown()); sign in again, or ask the provider's administrator"
        case .notBegun:
            "this browser began no such sign-in in the last "
                + "\(PendingSignIns.time.components.seconds / 60) min, or has completed it; sign "
                + "in again"
        case .busy: "too many people sign in at this moment; sign in again"
        case .noClaim(let claim):
            "found no claim \(claim.shown()) with a text; let the provider give it to this "
                + "console, or name another in `oidc.name`"
        case .unverified(let email):
            "\(email.shown()) is not verified there (`email_verified`); verify it, or let the "
                + "administrator of this console name another claim in `oidc.name`"
        case .noName(let claim, let value):
            "the claim \(claim.shown()) is \(value.shown()), which cannot be a name here: allowed "
                + "are \(ConsoleUser.nameAllowed)"
        case .unknownUser(let name, let isShutOut):
            "you are signed in there as \(name), "
                + (isShutOut
                    ? "whom this console's file of users shuts out; ask its administrator"
                    : "who is not a user of this console; let its administrator run bus-node users "
                        + "add FILE \(name) --proxy")
        }
    }
}
