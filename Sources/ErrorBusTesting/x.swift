import ErrorBus
