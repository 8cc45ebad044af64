package import ErrorBus

/// One entry of `notify:`: a webhook, and the events of presentations that are sent to it.
package struct HookSettings: Hashable, Sendable {
    /// The events of a presentation at a console.
    package enum Event: String, Codable, Hashable, Sendable, CaseIterable {
        /// It waits for an answer.
        case opened
        /// It has been neither answered nor claimed for ``HookSettings/after``.
        case aging
        /// A person claimed it.
        case claimed
        /// A person chose an option that needs two: another one has to confirm it.
        case proposed
        case answered
        /// The result of its answer is known, or it ended without an answer here.
        case ended

        /// Those of a presentation that waits for an answer.
        package static let awaitingAnswer: Set<Event> = [.opened, .aging]
    }

    /// The form of a message.
    package enum Body: String, Hashable, Sendable, CaseIterable {
        case json
        case slack
        case ntfy
        case alertmanager
    }

    package let name: NodeName
    package let url: HookURL
    package var events: Set<Event> = [.opened]
    /// The age of `aging`.
    package var after: Duration?
    package var match = RuleMatch()
    /// The file with the secret that messages are signed with; nil: they are not signed.
    package var secretFile: String?
    /// The file with the authorities that sign the receiver's certificate; nil: the system's.
    package var authorityFile: String?
    package var body = Body.json
    /// How long events of one group are collected for a message.
    package var digest: Duration = .seconds(5)
    /// The most messages in any minute; the rest is summed up in one.
    package var perMinute = 30
    /// How often a message is tried before it is a dead letter.
    package var tries = 8
    /// The links of its messages that answer; nil: there are none.
    package var answerLinks: AnswerLinkSettings?

    package init(name: NodeName, url: HookURL) {
        self.name = name
        self.url = url
    }
}

/// The links of a hook's messages that answer a presentation.
package struct AnswerLinkSettings: Hashable, Sendable {
    /// The user of the console who answers by them.
    package let user: String
    /// How long a link can be used, at most until the deadline of its presentation.
    package var time: Duration = .seconds(3_600)

    package init(user: String) { self.user = user }
}

/// The address of a webhook. Its path may be a secret, so that messages name only ``address``.
package struct HookURL: Hashable, Sendable {
    /// Whether it is https.
    package let isSecure: Bool
    package let host: String
    package let port: Int
    /// With the query.
    package let path: String

    package init(isSecure: Bool = false, host: String, port: Int, path: String) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.path = path
    }

    /// Without the path.
    package var address: String {
        "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// The last part of the path, and what comes before it.
    package var topic: (parent: String, name: String)? {
        guard let slash = path.lastIndex(of: "/"), !path.contains("?") else { return nil }
        let name = path[path.index(after: slash)...]
        return name.isEmpty ? nil : (String(path[...slash]), String(name))
    }
}
