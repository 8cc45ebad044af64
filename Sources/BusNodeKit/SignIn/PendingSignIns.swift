import ErrorBus
import OrderedCollections

/// The sign-ins that browsers have begun at an identity provider. Each is completed once, by the
/// browser that began it. Does no I/O.
struct PendingSignIns: Sendable {
    static let time = Duration.seconds(10 * 60)

    /// The secrets that a sign-in keeps until the person returns.
    struct Secrets: Hashable, Sendable {
        /// The name of the sign-in on the way to the provider and back.
        let state: String
        /// The name of the sign-in in the ID token.
        let nonce: String
        /// The proof for the provider that the code comes to the place that asked for it (PKCE).
        let verifier: String
        /// The value of a cookie of the browser.
        let browser: String

        /// - Parameter browser: The browser's value, if it is at the provider in another tab.
        static func generated(for browser: String? = nil) -> Secrets {
            Secrets(
                state: ConsoleToken.generated().text, nonce: ConsoleToken.generated().text,
                verifier: ConsoleToken.generated().text,
                browser: browser ?? ConsoleToken.generated().text)
        }
    }

    private struct Entry {
        let secrets: Secrets
        /// The hash of the browser's value: hashes are compared, so that the time of comparing says
        /// nothing.
        let browserHash: String
        let network: [UInt8]
        let due: ContinuousClock.Instant
    }

    /// The most sign-ins. Above it the oldest one of the address with the most goes: a stranger who
    /// begins many pushes out their own sign-ins, and not those of a person elsewhere.
    let countMax: Int
    let countMaxPerAddress: Int
    /// The sign-ins by `state`, the oldest first.
    private var entries: OrderedDictionary<String, Entry> = [:]
    /// The number of sign-ins that each network has begun.
    private var counts: [[UInt8]: Int] = [:]
    /// The latest session of each browser that was at the provider, by the hash of its cookie; the
    /// oldest first.
    private var sessions: OrderedDictionary<String, Session> = [:]

    private struct Session {
        let former: Former
        let due: ContinuousClock.Instant
    }

    /// The session that another one of the same browser replaces.
    struct Former: Hashable, Sendable {
        let label: ConsoleSessions.Label
        /// The name of the user of the file with this session; nil for an unknown one.
        let user: String?
    }

    init(countMax: Int = 4_096, countMaxPerAddress: Int = 2_048) {
        self.countMax = countMax
        self.countMaxPerAddress = countMaxPerAddress
    }

    var count: Int { entries.count }

    mutating func began(
        _ secrets: Secrets, from address: String, at now: ContinuousClock.Instant
    ) {
        drop(before: now)
        let network = AddressRange.network(of: address) ?? Array(address.utf8)
        if counts[network, default: 0] >= countMaxPerAddress {
            removeOldest { $0 == network }
        } else if entries.count >= countMax {
            let (counts, most) = (counts, counts.values.max())
            removeOldest { counts[$0] == most }
        }
        entries[secrets.state] = Entry(
            secrets: secrets, browserHash: ConsoleUser.hash(of: secrets.browser),
            network: network, due: now + Self.time)
        counts[network, default: 0] += 1
    }

    private mutating func removeOldest(of isMeant: ([UInt8]) -> Bool) {
        let oldest = entries.values.firstIndex { isMeant($0.network) }
        if let oldest { remove(at: oldest) }
    }

    private mutating func remove(at index: Int) {
        let network = entries.remove(at: index).value.network
        let left = counts[network, default: 0] - 1
        counts[network] = left > 0 ? left : nil
    }

    /// The sign-in with which a browser returns; nil if this browser did not begin it; then no
    /// sign-in is used up.
    ///
    /// - Parameter browsers: The values of the browser's cookie: several, if one was set for a part
    ///   of the host's name too.
    mutating func returned(
        _ state: String, by browsers: [String], at now: ContinuousClock.Instant
    ) -> Secrets? {
        drop(before: now)
        guard let index = entries.index(forKey: state) else { return nil }
        let entry = entries.values[index]
        guard browsers.contains(where: { ConsoleUser.hash(of: $0) == entry.browserHash }) else {
            return nil
        }
        remove(at: index)
        return entry.secrets
    }

    /// The value of a browser's cookie with which it has begun a sign-in that is under way.
    mutating func known(
        _ browsers: [String], at now: ContinuousClock.Instant
    ) -> String? {
        drop(before: now)
        let hashes = Set(browsers.map { ConsoleUser.hash(of: $0) })
        return entries.values.last { hashes.contains($0.browserHash) }?.secrets.browser
    }

    /// Notes the session of a browser, which replaces the cookie of another session that it began
    /// while it was at the provider.
    ///
    /// - Parameter user: The name of the session's user, if the file of users has it.
    /// - Returns: That other session. The browser does not show it on its way back, since its
    ///   cookie is not for requests from other sites.
    mutating func signedIn(
        _ session: ConsoleSessions.Label, of user: String? = nil, by browser: String,
        at now: ContinuousClock.Instant
    ) -> Former? {
        drop(before: now)
        let replaced = sessions.removeValue(forKey: ConsoleUser.hash(of: browser))
        if sessions.count >= countMax { sessions.removeFirst() }
        sessions[ConsoleUser.hash(of: browser)] = Session(
            former: Former(label: session, user: user), due: now + Self.time)
        return replaced?.former
    }

    private mutating func drop(before now: ContinuousClock.Instant) {
        // All wait equally long: the oldest ends first.
        while let first = entries.values.first, first.due <= now { remove(at: 0) }
        while let first = sessions.values.first, first.due <= now { sessions.removeFirst() }
    }
}
