import Logging
import Synchronization

/// A value in files, which each use reads again if a file has changed since the last use.
///
/// While a file cannot be used, each use tries again, since the fault may pass.
final class FollowedFiles<Value: Sendable>: Sendable {
    /// The words of the log about a further reading.
    struct Words: Sendable {
        let success: String
        let failure: String
        var failureLevel = Logger.Level.warning
    }

    private struct State {
        var versions: [FileStatus.Version?]
        var latest: Value
        /// The reason why the files cannot be used.
        var problem: String?
    }

    private let files: [String]
    private let words: Words
    private let logger: Logger
    private let read: @Sendable () throws(Failure) -> Value
    private let state: Mutex<State>

    /// - Throws: The error of `read`.
    init(
        _ files: [String], _ words: Words, logger: Logger,
        read: @escaping @Sendable () throws(Failure) -> Value
    ) throws(Failure) {
        self.files = files
        self.words = words
        self.logger = logger
        self.read = read
        let versions = Self.versions(of: files)
        state = Mutex(State(versions: versions, latest: try read()))
    }

    /// The value at the last time that the files could be used.
    var latest: Value { following().latest }

    /// The value of the files as they are now; nil while they cannot be used.
    var current: Value? {
        let state = following()
        return state.problem == nil ? state.latest : nil
    }

    private func following() -> State {
        let versions = Self.versions(of: files)
        return state.withLock { state in
            guard state.problem != nil || state.versions != versions else { return state }
            do throws(Failure) {
                state = State(versions: versions, latest: try read())
                logger.notice("\(words.success)", metadata: ["files": "\(files)"])
            } catch {
                if error.text != state.problem {
                    logger.log(
                        level: words.failureLevel, "\(words.failure)",
                        metadata: ["problem": "\(error.text)"])
                }
                state.versions = versions
                state.problem = error.text
            }
            return state
        }
    }

    private static func versions(of files: [String]) -> [FileStatus.Version?] {
        files.map { FileStatus($0)?.version }
    }
}
