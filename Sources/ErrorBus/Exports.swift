// A user of the library imports one module.
@_exported public import ErrorBusCore
