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
}
