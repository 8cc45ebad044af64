import ErrorBus
import OrderedCollections

/// The sign-ins that browsers have begun at an identity provider. Each is completed once, by the
/// browser that began it. Does no I/O.
struct PendingSignIns: Sendable {
    static let time = Duration.seconds(10 * 60)

    /// What a sign-in keeps until the person returns.
    struct Secrets: Hashable, Sendable {
        /// Names the sign-in to the provider and back.
        let state: String
        /// Names it in the ID token.
        let nonce: String
        /// Shows the provider that the code comes to where it was asked for (PKCE).
        let verifier: String
        /// In a cookie of the browser.
        let browser: String

        /// - Parameter browser: The browser's, where it is at the provider in another tab.
        static func generated(for browser: String? = nil) -> Secrets {
            Secrets(
                state: ConsoleToken.generated().text, nonce: ConsoleToken.generated().text,
                verifier: ConsoleToken.generated().text,
                browser: browser ?? ConsoleToken.generated().text)
        }
    }

    private struct Entry {
        let secrets: Secrets
        /// Hashes are compared, so that the time of comparing says nothing.
        let browserHash: String
        let address: String
        let due: ContinuousClock.Instant
    }

    /// Above these the oldest goes, so that a stranger who begins many keeps others from signing in
    /// only by being faster than they are.
    let countMax: Int
    let countMaxPerAddress: Int
    /// By `state`, the oldest first.
    private var entries: OrderedDictionary<String, Entry> = [:]

    init(countMax: Int = 4_096, countMaxPerAddress: Int = 2_048) {
        self.countMax = countMax
        self.countMaxPerAddress = countMaxPerAddress
    }

    var count: Int { entries.count }

    mutating func began(
        _ secrets: Secrets, from address: String, at now: ContinuousClock.Instant
    ) {
        drop(before: now)
        if entries.values.count(where: { $0.address == address }) >= countMaxPerAddress,
            let oldest = entries.values.firstIndex(where: { $0.address == address })
        {
            entries.remove(at: oldest)
        } else if entries.count >= countMax {
            entries.removeFirst()
        }
        entries[secrets.state] = Entry(
            secrets: secrets, browserHash: ConsoleUser.hash(of: secrets.browser),
            address: address, due: now + Self.time)
    }

    /// The sign-in with which a browser returns; nil where this browser did not begin it, and then
    /// nothing is used up.
    ///
    /// - Parameter browsers: The values of the browser's cookie: several, when one was set for a
    ///   part of the host's name too.
    mutating func returned(
        _ state: String, by browsers: [String], at now: ContinuousClock.Instant
    ) -> Secrets? {
        drop(before: now)
        guard let entry = entries[state],
            browsers.contains(where: { ConsoleUser.hash(of: $0) == entry.browserHash })
        else { return nil }
        entries[state] = nil
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

    private mutating func drop(before now: ContinuousClock.Instant) {
        // All wait equally long: the oldest ends first.
        while let first = entries.values.first, first.due <= now { entries.removeFirst() }
    }
}
