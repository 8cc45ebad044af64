import ErrorBus

extension ConfigurationFailure {
    var exitStatus: ExitStatus {
        switch self {
        case .unreadable: .noInput
        case .invalid: .badConfiguration
        }
    }
}
