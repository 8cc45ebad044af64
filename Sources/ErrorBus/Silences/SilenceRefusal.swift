import Foundation

/// Why something could not be done with a silence. Nothing has changed then.
public enum SilenceRefusal: Error, Hashable, Sendable {
    /// Never here, or ended so long ago that it is not kept.
    case unknown(Int)
    case ended(Int, at: Moment)
    /// It would match every error.
    case matchesEverything
    case tooMany(allowed: Int)
    /// Not between these.
    case duration(ClosedRange<Duration>)
}

extension SilenceRefusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknown(let number): "no silence \(number) here; it may have ended long ago"
        case .ended(let number, let at):
            "silence \(number) ended at \(at.date.ISO8601Format())"
        case .matchesEverything:
            "match: found no condition; allowed: at least one of domain, code, severity, origin, "
                + "userInfo"
        case .tooMany(let allowed):
            "silences: allowed: \(allowed) active at a time; end one first"
        case .duration(let allowed):
            "a silence may last \(allowed.lowerBound.components.seconds) to "
                + "\(allowed.upperBound.components.seconds) s"
        }
    }
}
