/// The typed refusals of EB1.
public enum RejectCode: UInt16, Sendable, CaseIterable {
    case malformed = 400
    case notYours = 403
    case unknownID = 404
    case deadlinePassed = 408
    case conflict = 409
    case gone = 410
    case tooLarge = 413
    case busy = 429
    case loop = 482
    case tooManyHops = 483
    case noResponder = 503
    case version = 505

    /// A peer's code. One that is not of the list is taken as its hundreds are: 4xx gives up,
    /// 5xx may be tried again.
    init?(number: UInt64) {
        switch number {
        case 400...499: self = RejectCode(rawValue: UInt16(number)) ?? .malformed
        case 500...599: self = RejectCode(rawValue: UInt16(number)) ?? .noResponder
        default: return nil
        }
    }
}
