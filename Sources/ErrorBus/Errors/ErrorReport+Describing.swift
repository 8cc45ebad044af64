extension ErrorReport {
    public init(describing error: any Error) {
        self = (error as? any ReportableError)?.report ?? ErrorReport(domain: String(reflecting: type(of: error)), description: String(describing: error))
    }
}
