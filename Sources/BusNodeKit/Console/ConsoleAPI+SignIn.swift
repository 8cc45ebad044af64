import ErrorBus
import HTTPTypes
import Hummingbird

// Signing in at an identity provider: the way there, and back.
extension ConsoleAPI {
    /// Leads the browser to the provider.
    func beginSignIn(_ request: Request, _ context: ConsoleContext) async throws -> Response {
        let signIn = try offeredSignIn
        guard context.visitor == nil else { return Self.leading(to: "/") }
        // The provider leads back to the console's own address: the cookie has to be of that host.
        let host = request.head.authority
        guard host?.lowercased() == signIn.host.lowercased() else {
            return Self.leading(to: signIn.url + "/")
        }
        let begun = try await signIn.begin(
            from: context.peerHost, by: signIn.browsers(of: request))
        var response = Self.leading(to: begun.location)
        response.headers[.setCookie] = signIn.cookie.setting(begun.browser, for: signIn.time)
        return response
    }

    /// Signs in the browser that the provider has sent back.
    func completeSignIn(_ request: Request, _ context: ConsoleContext) async throws -> Response {
        let signIn = try offeredSignIn
        let completed = try await signIn.complete(
            try QueryFields(request.uri.query), from: context.peerHost,
            by: signIn.browsers(of: request))
        // Their cookies are replaced: signing out could no longer end them.
        let shown = context.visitor?.session.map {
            PendingSignIns.Former(label: $0, user: context.visitor?.user?.name)
        }
        for former in [shown, completed.former].compactMap(\.self) {
            await endSession(former.label, of: former.user)
        }
        var response = Self.leading(to: "/")
        let own = ConsoleCookie(at: request.head.authority, of: console.settings)
        let kept = own.setting(completed.key, completed.label)
        response.headers[values: .setCookie] =
            completed.isElsewhere ? [kept] : [kept, signIn.cookie.removing]
        return response
    }

    /// Ends the session of a browser, and its event streams.
    ///
    /// - Returns: The address at which the person signs out at the provider, if there is one.
    @discardableResult
    func endSession(_ session: ConsoleSessions.Label, of user: String?) async -> String? {
        // The provider's session ends with its key.
        let isOfProvider = console.signIn?.has(session) == true
        let page = console.signIn?.end(session)
        if !isOfProvider { await console.sessions.endForGood(session, of: user) }
        feed.streams.end(session)
        return page
    }

    private var offeredSignIn: ConsoleSignIn {
        get throws(APIProblem) {
            guard let signIn = console.signIn else {
                throw APIProblem(.notFound, "notFound", "no identity provider is configured here")
            }
            return signIn
        }
    }

    private static func leading(to location: String) -> Response {
        Response(status: .seeOther, headers: [.location: location])
    }
}
