package import ErrorBus

/// One entry of `notify:`: a webhook, and the events of presentations that it receives.
package struct HookSettings: Hashable, Sendable {
    /// The events of a presentation at a console.
    package enum Event: String, Codable, Hashable, Sendable, CaseIterable {
        /// The presentation waits for an answer.
        case opened
        /// The presentation has been neither answered nor claimed for ``HookSettings/after``.
        case aging
        /// A person claimed the presentation.
        case claimed
        /// A person chose an option that needs two people: another person has to confirm it.
        case proposed
        case answered
        /// The result of the answer is known, or the presentation ended without an answer here.
        case ended

        /// The events of a presentation that waits for an answer.
        package static let awaitingAnswer: Set<Event> = [.opened, .aging]
        /// The events that call people, by the severity of their presentations.
        package static let calling: Set<Event> = [.opened, .aging, .proposed]
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
    /// The age of a presentation at the event `aging`.
    package var after: Duration?
    package var match = RuleMatch()
    /// The file with the secret that signs messages; nil: unsigned messages.
    package var secretFile: String?
    /// The file with the authorities that sign the receiver's certificate; nil: the system's.
    package var authorityFile: String?
    package var body = Body.json
    /// The time in which events of one group are collected for a message.
    package var digest: Duration = .seconds(5)
    /// The most messages in any minute; one more message sums up the rest.
    package var perMinute = 30
    /// The number of tries before a message is a dead letter.
    package var tries = 8
    /// The links of the hook's messages that answer; nil: there are none.
    package var answerLinks: AnswerLinkSettings?

    package init(name: NodeName, url: HookURL) {
        self.name = name
        self.url = url
    }
}

/// The links of a hook's messages that answer a presentation.
package struct AnswerLinkSettings: Hashable, Sendable {
    /// The user of the console who answers by the links.
    package let user: String
    /// The time that a link can be used, at most until the deadline of its presentation.
    package var time: Duration = .seconds(3_600)

    package init(user: String) { self.user = user }
}

/// The address of a webhook. Its path may be a secret, so that messages name only ``address``.
package struct HookURL: Hashable, Sendable {
    /// Whether the address is https.
    package let isSecure: Bool
    package let host: String
    package let port: Int
    /// The path with the query.
    package let path: String

    package init(isSecure: Bool = false, host: String, port: Int, path: String) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.path = path
    }

    /// The address without the path.
    package var address: String {
        "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// The last part of the path, and the part before it.
    package var topic: (parent: String, name: String)? {
        guard let slash = path.lastIndex(of: "/"), !path.contains("?") else { return nil }
        let name = path[path.index(after: slash)...]
        return name.isEmpty ? nil : (String(path[...slash]), String(name))
    }
}
