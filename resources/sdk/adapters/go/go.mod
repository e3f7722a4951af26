module adapter

go 1.18

require bot-platform/sdk v0.0.0

replace bot-platform/sdk => ../../go
