module bot-platform/sdk

go 1.18
