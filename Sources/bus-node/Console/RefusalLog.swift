import Logging
import Synchronization

/// Refusals in the log: the first of its kind at once, then how many more came within a while, so
/// that refused clients cannot fill the log.
final class RefusalLog: Sendable {
    struct Kind: Hashable, Sendable {
        /// Without the port: each connection has another one.
        let host: String
        let status: String
        let reason: String
    }

    /// Kinds that are counted apart at a time.
    static let kindCountMax = 256

    private let logger: Logger
    private let interval: Duration
    private let clock: any Clock<Duration>
    /// How often each came again since it was logged.
    private let repeats = Mutex<[Kind: Int]>([:])

    init(
        _ logger: Logger, every interval: Duration = ConsoleLimits.refusalInterval,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.logger = logger
        self.interval = interval
        self.clock = clock
    }

    /// - Parameter metadata: What the line says of the first one.
    func note(
        _ kind: Kind, level: Logger.Level = .warning, _ message: Logger.Message,
        _ metadata: Logger.Metadata
    ) {
        let counted = repeats.withLock { repeats -> Kind? in
            let isRoom = repeats.count < Self.kindCountMax || repeats[kind] != nil
            let kind = isRoom ? kind : Kind(host: "others", status: "-", reason: "-")
            guard repeats[kind] == nil else {
                repeats[kind]? += 1
                return nil
            }
            repeats[kind] = 0
            return kind
        }
        guard let counted else { return }
        logger.log(level: level, message, metadata: metadata)
        Task {
            try? await clock.sleep(for: interval)
            tell(counted, level: level, message)
        }
    }

    private func tell(_ kind: Kind, level: Logger.Level, _ message: Logger.Message) {
        let count = repeats.withLock { $0.removeValue(forKey: kind) } ?? 0
        guard count > 0 else { return }
        logger.log(
            level: level, message,
            metadata: [
                "peer": "\(kind.host)", "status": "\(kind.status)", "reason": "\(kind.reason)",
                "again": "\(count)",
            ])
    }
}
